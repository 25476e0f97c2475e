export { createTokenDirectory } from './create-token-directory.ts'
export { printableText } from './printable-text.ts'
export { withBareTokens } from './with-bare-tokens.ts'
