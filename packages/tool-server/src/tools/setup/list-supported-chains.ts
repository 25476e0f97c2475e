import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import { isOwnChain } from '@svc/amm/chains'
import { readTool } from '../../tool.ts'
import { notesResult } from '../results.ts'

export const listSupportedChains = readTool({
  name: 'list_supported_chains',
  title: 'Supported chains',
  description:
    'Chains of this server: ids, names, native currency, deployed protocol versions, whether the endpoint answers. Those that answer come first. Public testnets only when asked for.',
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
      }),
    ),
    timestamp: z.string(),
    source: z.string(),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const all = context.chains.list()
  const shown = all.filter((chain) => input.includeTestnets || !chain.testnet || isOwnChain(chain))
  const hidden = all.length - shown.length
  const probed = await Promise.all(shown.map(async (chain) => ({ chain, probe: await context.rpc.probe(chain) })))
  const shared = sharedProblems(probed.map(({ chain: { name }, probe: { problem } }) => ({ name, problem })))
  const items = probed.map(({ chain, probe }) => ({
    id: chain.id,
    name: chain.name,
    aliases: [...chain.aliases],
    native: chain.nativeCurrency.symbol,
    testnet: chain.testnet,
    versions: versionsOf(chain),
    rpcHealthy: probe.healthy,
    headAgeSeconds: probe.headAgeSeconds,
    problem: shared.has(probe.problem) ? 'see notes' : probe.problem,
  }))
  const rankOf = (item: (typeof items)[number]) => Number(!item.rpcHealthy) * 2 + Number(!isOwnChain(item))
  return {
    items: items.toSorted((one, other) => rankOf(one) - rankOf(other)),
    timestamp: new Date(context.now()).toISOString(),
    source: 'rpc',
    notes: [
      ...[...shared].map(([problem, names]) => `${names.join(', ')}: ${problem}`),
      ...(hidden === 0 ? [] : [`${hidden} public testnets are not shown; set includeTestnets.`]),
    ],
  }
})

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
