/**
 * What keeps every claim of a chain waiting.
 *
 * - dry: the faucet has less than a grant and its gas
 * - fees: the gas of a plain transfer costs more than what is given
 * - nonce: the chain does not count what it had mined before
 * - signer: another program over the database pays with the key
 * - wrong-chain: the endpoints speak for another chain
 */
export type HeldUpBy = 'dry' | 'fees' | 'nonce' | 'signer' | 'wrong-chain'
