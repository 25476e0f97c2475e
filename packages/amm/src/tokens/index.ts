export { createTokenDirectory } from './create-token-directory.ts'
export { printableText, type TokenOf, type TokenStore, withBareTokens } from './read-token.ts'
export { suspectAdvice, suspicions } from './suspicions.ts'
