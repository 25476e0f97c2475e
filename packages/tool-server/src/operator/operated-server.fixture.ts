import { ToolError } from '@svc/amm'
import { parsePolicy } from '@svc/engine/policy'
import type { AuditEvent } from '@svc/engine'
import type { Adapters } from '../server.ts'
import { openTestServer } from '../test-server.fixture.ts'
import { chainsView, statusView } from './status-view.ts'
import { createOperatorPage } from './operator-page.ts'
import { openDirectory } from './operations.fixture.ts'
import type { TestPasskey } from './passkey.fixture.ts'
import { makePageLink, usePageLink } from './page-link.ts'
import { readList } from './read-list.ts'
import { readOperatorStatus } from './read-status.ts'
import { join } from 'node:path'

export const publicUrl = 'https://mcp.example.com/mcp'
export const origin = 'https://mcp.example.com'

/** A server with the operator page over a real state, and operators by name with their passkeys. */
export async function openOperated(options: OperatedOptions = {}) {
  const { operators = {}, from = 'afar', operations = [{}, { id: 'op-2' }], env = {}, ...adapters } = options
  const place = await openDirectory(operations)
  const { store, dataDir } = place
  const world = {
    now: Date.now(),
    audit: [] as AuditEvent[],
    isAuditFull: false,
    isFollowing: false,
    policy: policyWith(operators),
  }
  const usage: typeof store.ledger.usage = (...asked) => store.ledger.usage(...asked)
  const budgetUsage: typeof store.ledger.budgetUsage = (...asked) => store.ledger.budgetUsage(...asked)
  const { operations: stored, transactions, orders, restored } = store
  const records = { operations: stored, transactions, orders, restored, usage, budgetUsage }
  const operator = createOperatorPage({
    origin: from === 'afar' ? origin : null,
    async showState(decides) {
      const policyPath = join(dataDir, 'policy.json')
      const status = await readOperatorStatus({
        dataDir,
        policyPath,
        production: false,
        place: { dataDir },
        leader: async () => null,
        records,
      })
      const list = await readList(store.operations, { all: true })
      return statusView({ status, list, alerts: options.standing ?? [] }, { now: world.now, decides })
    },
    showChains: async () =>
      chainsView({ held: options.held ?? noPositions, asked: ['base'], setup: options.setup ?? wellSetUp }),
    useLink: (token) => usePageLink(dataDir, token, world.now),
    policies: { latest: () => world.policy, current: async () => world.policy },
    access: {
      records,
      place: { dataDir },
      leader: async () => null,
      requireLeader: async () => {
        if (world.isFollowing) throw new ToolError('NOT_LEADER', 'Another server leads.')
      },
      audit: async (event) => {
        if (world.isAuditFull) throw new Error('ENOSPC')
        world.audit.push(event)
      },
    },
    now: () => world.now,
  })
  const server = await openTestServer({ ...adapters, operator, env: from === 'afar' ? { ...ofAfar, ...env } : env })
  return {
    ...server,
    place,
    world,
    /** Of a new link to the page of this machine, as `svc status --page` makes it. */
    token: async () => (await makePageLink(dataDir, world.now)).token,
    /** What becomes of the policy's operators while the server runs. */
    name: (named: NonNullable<OperatedOptions['operators']>) => void (world.policy = policyWith(named)),
    stateOf: async (id: string) => (await stored.byId(id))?.state,
    async close() {
      await server.server.close()
      await store.close()
    },
  }
}

export type Operated = Awaited<ReturnType<typeof openOperated>>

type OperatedOptions = Partial<Pick<Adapters, 'limits'>> & {
  readonly operators?: Readonly<Record<string, readonly Pick<TestPasskey, 'id' | 'publicKey'>[]>>
  /** `here` is read-only. */
  readonly from?: 'afar' | 'here'
  readonly operations?: Parameters<typeof openDirectory>[0]
  readonly env?: Readonly<Record<string, string>>
  readonly standing?: Parameters<typeof statusView>[0]['alerts']
  readonly held?: Parameters<typeof chainsView>[0]['held']
  readonly setup?: Parameters<typeof chainsView>[0]['setup']
}

/** The edge that ends TLS is the test itself. */
const ofAfar = { SVC_PUBLIC_URL: publicUrl, SVC_TRUSTED_PROXIES: '127.0.0.1' }

const noPositions = { owner: `0x${'1'.repeat(40)}`, items: [], unread: [] } as const
const wellSetUp = { profile: 'full', version: '0', checks: [] }

function policyWith(named: NonNullable<OperatedOptions['operators']>) {
  const operators = Object.fromEntries(
    Object.entries(named).map(([name, keys]) => [
      name,
      { passkeys: keys.map(({ id, publicKey }) => ({ id, publicKey })) },
    ]),
  )
  return parsePolicy({ operators }, { production: false })
}
