import { inTime } from '@svc/runtime'
import type { Store } from '@svc/store'
import type { FaucetConfig } from '../config.ts'
import type { FaucetPart } from '../context.ts'
import type { FaucetLog } from './endpoints.ts'
import { faucetRequestRoute, faucetStatusRoute } from './faucet-routes.ts'
import { lookUpClaim, type Grant, type GrantRequest, requestGrant } from './request-grant.ts'
import { openFaucet, type Faucet, type OpenFaucetChain } from './open-faucet.ts'
import { remembered } from './remembered.ts'
import { reportFaucet } from './report-faucet.ts'

/** Opens the faucet and begins to pay, in whichever replica leads a chain; and gives its routes. */
export function openFaucetPart(options: FaucetPartOptions): FaucetPart {
  const { config, store, version, log, now } = options
  const { claims } = store
  const faucet = openFaucet(options)
  const report = remembered(() => reportFaucet({ faucet, claims, config, version, now }), { forMs: reportForMs, now })
  const balanceWei = ofEachChain(faucet, now, balanceForMs, ({ client }) =>
    inTime(client.getBalance({ address: faucet.address, blockTag: 'pending' }), balancePatienceMs),
  )
  const queueDepth = ofEachChain(faucet, now, depthForMs, async ({ chain }) => (await claims.queue(chain.id)).depth)
  const desk = { faucet, claims, config, balanceWei, queueDepth, log }
  const grant = async (request: GrantRequest): Promise<Grant> => {
    const granted = await requestGrant(desk, request)
    // Whoever claimed looks at once, and is not shown what was so before.
    report.forget()
    return granted
  }
  faucet.start()
  return {
    routes: [faucetRequestRoute(grant), faucetStatusRoute(report)],
    report,
    grant,
    claimOf: (wallet) => lookUpClaim(desk, wallet),
    async networkLeft(network) {
      const scopes = { chainId: 0, appId: '', network }
      return Math.max(0, config.perNetworkPerDay - (await claims.used({ scope: 'network', windowMs: dayMs }, scopes)))
    },
    async parts() {
      const { chains } = await report()
      return Object.fromEntries(chains.map(({ name, rpc }) => [`chain ${name}`, rpc]))
    },
    leads: (chainId) => faucet.chains.get(chainId)?.payer.facts().isLeading ?? false,
    close: () => faucet.stop(),
  }
}

export type FaucetPartOptions = {
  readonly config: FaucetConfig
  readonly store: Pick<Store, 'claims' | 'journal' | 'leases'>
  /** Tells a person which process leads. */
  readonly holder: string
  readonly version: string
  readonly log: FaucetLog
  /** Unix milliseconds. */
  readonly now: () => number
}

const dayMs = 86_400_000
const reportForMs = 5_000
const balanceForMs = 3_000
const balancePatienceMs = 5_000
const depthForMs = 1_000

/** What `ask` says of a served chain, remembered for a while. */
function ofEachChain<Answer>(
  { chains }: Faucet,
  now: () => number,
  forMs: number,
  ask: (open: OpenFaucetChain) => Promise<Answer>,
): (chainId: number) => Promise<Answer> {
  const asks = new Map([...chains].map(([chainId, open]) => [chainId, remembered(() => ask(open), { forMs, now })]))
  return async (chainId) => {
    const known = asks.get(chainId)
    if (known === undefined) throw new RangeError(`Chain ${chainId} is not served.`)
    return await known()
  }
}
