import { answeredError, type Bundler } from './open-bundler.ts'
import { shown } from './revert-reason.ts'
import type { SignedUserOperation } from './signed-user-operation.ts'

/**
 * Offers a signed operation to the bundler once, as it is. Never rejects. What a bundler says proves nothing about the
 * chain: also one that declines may have passed the operation on.
 */
export async function offerUserOperation(bundler: Bundler, signed: SignedUserOperation): Promise<Offer> {
  try {
    await bundler.request('eth_sendUserOperation', [signed.operation, signed.entryPoint])
    return { answer: 'taken', reason: null }
  } catch (error) {
    const answered = answeredError(error)
    if (answered === null) return { answer: 'unknown', reason: null }
    if (/already ?known|already in (the )?mempool|duplicate/i.test(answered.message)) {
      return { answer: 'taken', reason: null }
    }
    return { answer: 'declined', reason: shown(answered.message) }
  }
}

export type Offer = {
  readonly answer: 'taken' | 'declined' | 'unknown'
  /** The bundler's own words. */
  readonly reason: string | null
}
