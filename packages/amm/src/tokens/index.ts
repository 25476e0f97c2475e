export { createTokenDirectory } from './create-token-directory.ts'
export { printableText } from './read-token.ts'
export { suspectAdvice, suspicions } from './suspicions.ts'
export { withBareTokens } from './with-bare-tokens.ts'
