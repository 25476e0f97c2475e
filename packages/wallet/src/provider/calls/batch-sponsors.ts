import { sponsorUrls, type SponsorUrls } from '../../user-operation/sponsor-urls.ts'
import { WalletError } from '../../wallet-error.ts'
import type { CallsContext } from './calls-context.ts'

/**
 * Who may pay for batches, as the operator said: nobody where no `sponsor` was given. Throws `VALIDATION_CONFIG_INVALID`
 * for a URL that is none, or that a client may name and that anybody on the way could answer for.
 */
export function batchSponsors({ chain, sponsor, env }: Pick<CallsContext, 'chain' | 'sponsor' | 'env'>): BatchSponsors {
  if (sponsor === null) return { bundlerUrl: null, paymasterUrl: null, clientPaymasterUrls: [] }
  const { clientPaymasterUrls = [] } = sponsor
  if (!clientPaymasterUrls.every(isPrivateWay)) {
    const accepted = 'accepted: URLs with https, or with http on this machine.'
    throw new WalletError('VALIDATION_CONFIG_INVALID', `sponsor.clientPaymasterUrls is not valid; ${accepted}`)
  }
  return { ...sponsorUrls(chain.id, sponsor, env), clientPaymasterUrls }
}

export type BatchSponsors = SponsorUrls & { readonly clientPaymasterUrls: readonly string[] }

function isPrivateWay(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname))
}
