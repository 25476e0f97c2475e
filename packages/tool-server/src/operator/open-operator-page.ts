import { join } from 'node:path'
import type { PolicySource } from '@svc/engine'
import type { OperatorAccess } from '@svc/engine/open'
import type { Address } from 'viem'
import type { ActiveAlert } from '../alerts/alert-table.ts'
import type { Config } from '../config/config-shape.ts'
import type { Ports } from '../ports.ts'
import { reportSetup } from '../status/status.ts'
import { chainsView, statusView } from './status-view.ts'
import { readHeldPositions, readOperatorStatus } from './read-status.ts'
import { createOperatorPage, type OperatorPage } from './operator-page.ts'
import { usePageLink } from './page-link.ts'
import { readList } from './read-list.ts'

/** The operator page over what a running server has: the same readings as of the commands beside it. */
export function openOperatorPage({ config, policies, access, wallet, ports, alerts }: OperatorPlace): OperatorPage {
  const { dataDir, production, publicUrl, rpc } = config
  const { records, place, leader } = access
  const policyPath = join(dataDir, 'policy.json')
  const chains = config.chains.filter(({ id, local }) => local === true || rpc.urls.has(id) || rpc.provider !== null)
  return createOperatorPage({
    origin: publicUrl?.startsWith('https:') === true ? new URL(publicUrl).origin : null,
    async showState(decides) {
      const now = Date.now()
      const [status, list] = await Promise.all([
        readOperatorStatus({ dataDir, policyPath, production, place, leader, records }),
        readList(records.operations, { all: true }),
      ])
      return statusView({ status, list, alerts: alerts() }, { now, decides })
    },
    showChains: onceIn(chainsMs, async () => {
      const [held, setup] = await Promise.all([
        readHeldPositions({ liquidity: ports.liquidity, chains, owner: wallet }),
        reportSetup({ config, ports: { ...ports, agentAddress: wallet }, policyNow: () => policies.current() }),
      ])
      return chainsView({ held, asked: chains.map(({ name }) => name), setup })
    }),
    useLink: (token) => usePageLink(dataDir, token, Date.now()),
    policies,
    access,
    now: Date.now,
  })
}

type OperatorPlace = {
  readonly config: Config
  readonly policies: PolicySource
  readonly access: OperatorAccess
  readonly wallet: Address
  readonly ports: Pick<Ports, 'chains' | 'rpc' | 'identities' | 'liquidity'>
  readonly alerts: () => readonly ActiveAlert[]
}

/** However many look, and however often, endpoints are asked once in this time. */
const chainsMs = 20_000

function onceIn<Value>(ms: number, work: () => Promise<Value>): () => Promise<Value> {
  let last: { readonly at: number; readonly value: Promise<Value> } | null = null
  return () => {
    const at = performance.now()
    if (last === null || at - last.at >= ms) last = { at, value: work() }
    return last.value
  }
}
