import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import { isOwnChain } from '@svc/amm/chains'
import { readTool } from '../../tool.ts'
import type { ReadContext } from '../../tool-context.ts'
import { notesResult } from '../results.ts'

export const listSupportedChains = readTool({
  name: 'list_supported_chains',
  title: 'Supported chains',
  description:
    'Chains of this server: ids, names, native currency, versions, whether the endpoint answers, and what works with it. Those that answer come first.',
  scope: 'read:market',
  input: z.strictObject({ includeTestnets: z.boolean().default(false).describe('Also public testnets') }),
  output: z.object({
    items: z.array(
      z.object({
        id: z.int(),
        name: z.string(),
        aliases: z.array(z.string()),
        native: z.string(),
        testnet: z.boolean(),
        versions: z.array(z.string()),
        rpcHealthy: z.boolean(),
        headAgeSeconds: z.number().nullable().describe('Of the newest block'),
        problem: z.string().nullable(),
        works: z
          .object({
            subgraphs: z.array(z.string()),
            archiveDays: z.number().nullable().describe('Ranges need 7, backtests 14'),
            logsDays: z.number().nullable(),
            orders: z.boolean(),
            crossChainTo: z.array(z.string()),
            rewards: z.boolean(),
            vaults: z.array(z.string()).nullable(),
          })
          .nullable()
          .describe('null: nothing; in it: not known yet'),
      }),
    ),
    tradingApi: z.enum(['none', 'liquidity', 'all']),
    timestamp: z.string(),
    source: z.string(),
    notes: notesResult,
  }),
  // The rest of it is settled when the server starts.
  restsOn: (input, { chains, rpc, reach, vaults }) =>
    shownOf(input, chains).flatMap((chain) => {
      const parts: unknown[] = [chain.id, rpc.probe(chain), reach.endpoints(chain)]
      return parts.concat(vaults.named(chain))
    }),
}).handler(async (input, context) => {
  const shown = shownOf(input, context.chains)
  const hidden = context.chains.list().length - shown.length
  const probed = await Promise.all(
    shown.map(async (chain) => {
      const [probe, reach] = await Promise.all([context.rpc.probe(chain), context.reach.endpoints(chain)])
      return { chain, probe, reach }
    }),
  )
  const shared = sharedProblems(probed.map(({ chain: { name }, probe: { problem } }) => ({ name, problem })))
  const healthy = new Set(probed.filter(({ probe }) => probe.healthy).map(({ chain }) => chain.id))
  const items = probed.map(({ chain, probe, reach }) => ({
    id: chain.id,
    name: chain.name,
    aliases: [...chain.aliases],
    native: chain.nativeCurrency.symbol,
    testnet: chain.testnet,
    versions: versionsOf(chain),
    rpcHealthy: probe.healthy,
    headAgeSeconds: probe.headAgeSeconds,
    problem: shared.has(probe.problem) ? 'see notes' : probe.problem,
    works: probe.healthy ? worksOn(chain, { context, reach, healthy }) : null,
  }))
  const rankOf = (item: (typeof items)[number]) => Number(!item.rpcHealthy) * 2 + Number(!isOwnChain(item))
  return {
    items: items.toSorted((one, other) => rankOf(one) - rankOf(other)),
    tradingApi: tradingApi[context.rewards.cannotClaim ?? 'nothing'],
    timestamp: new Date(Math.min(...probed.map(({ probe }) => probe.at), context.now())).toISOString(),
    source: 'rpc',
    notes: [
      ...[...shared].map(([problem, names]) => `${names.join(', ')}: ${problem}`),
      ...(hidden === 0 ? [] : [`${hidden} public testnets are not shown; set includeTestnets.`]),
    ],
  }
})

function shownOf({ includeTestnets }: { readonly includeTestnets: boolean }, chains: ReadContext['chains']) {
  return chains.list().filter((chain) => includeTestnets || !chain.testnet || isOwnChain(chain))
}

type Known = {
  readonly context: ReadContext
  readonly reach: Awaited<ReturnType<ReadContext['reach']['endpoints']>>
  /** The chains whose endpoints answer. */
  readonly healthy: ReadonlySet<number>
}

/** What tools do on a chain whose endpoint answers, by the same questions that they ask first. */
function worksOn(chain: Chain, { context, reach, healthy }: Known) {
  const { crossChain, orders, vaults } = context
  return {
    subgraphs: [...context.reach.subgraphs(chain)],
    archiveDays: reach?.stateDays ?? null,
    logsDays: reach?.logDays ?? null,
    orders: orders.isOffered(chain),
    crossChainTo: crossChain.destinations(chain).flatMap(({ id, name }) => (healthy.has(id) ? [name] : [])),
    rewards: chain.rewardDistributor !== undefined,
    vaults: reach && (reach.simulates ? [...vaults.named(chain)] : []),
  }
}

/** By what keeps it from claims, which its dialect for liquidity alone has no words for. */
const tradingApi = { nothing: 'all', dialect: 'liquidity', key: 'none' } as const

/** What is wrong with several chains alike, and with which: it is said once. */
function sharedProblems(
  items: readonly { readonly name: string; readonly problem: string | null }[],
): ReadonlyMap<string | null, readonly string[]> {
  const named = new Map<string | null, string[]>()
  for (const { name, problem } of items) {
    if (problem !== null) named.set(problem, [...(named.get(problem) ?? []), name])
  }
  return new Map([...named].filter(([, names]) => names.length > 1))
}

function versionsOf(chain: Chain): string[] {
  const { v2, v3, v4 } = chain.amm
  return Object.entries({ v2, v3, v4 }).flatMap(([version, deployment]) => (deployment === undefined ? [] : [version]))
}
