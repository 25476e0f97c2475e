import type { FaucetChain } from '../config.ts'
import type { Problem } from '../errors.ts'
import type { ClaimStanding } from '../faucet/request-grant.ts'
import type { FaucetChainReport, FaucetReport } from '../faucet/report-faucet.ts'

/** Everything the page shows at one time. */
export type PageView = {
  readonly faucet: FaucetView
  /** Those the faucet is set up for, whether or not anything stands behind it now. */
  readonly chains: readonly Pick<FaucetChain['chain'], 'id' | 'name' | 'nativeCurrency'>[]
  readonly fields: Fields
  /** The app that claims count for; `null`: the page asks. */
  readonly appId: string | null
  readonly outcome: Outcome | null
  /** Where programs reach the service. */
  readonly apiUrl: string
  readonly version: string
}

/** `none`: this service runs without one; `away`: what stands behind it does not answer. */
export type FaucetView =
  | {
      readonly kind: 'open'
      readonly report: FaucetReport
      /** What the visitor's range of addresses has left of the last 24 hours. */
      readonly networkLeft: number
    }
  | { readonly kind: 'none' | 'away' }

/** As a person typed them. */
export type Fields = { readonly address: string; readonly chainId: string; readonly appId: string }

/** What became of the wallet that the fields name. `earlier`: it was asked for again. */
export type Outcome =
  | { readonly kind: 'free' }
  | { readonly kind: 'claim' | 'earlier'; readonly claim: ClaimStanding; readonly chain: FaucetChainReport }
  | { readonly kind: 'refused'; readonly problem: Problem }

/** The chain that the form stands at: the one in the fields, else the first that serves. */
export function chosenChain({ fields, chains, faucet }: PageView): number | undefined {
  const named = chains.find(({ id }) => `${id}` === fields.chainId)
  const serving = faucet.kind === 'open' ? faucet.report.chains.find(({ enabled }) => enabled) : undefined
  return named?.id ?? serving?.chainId ?? chains[0]?.id
}
