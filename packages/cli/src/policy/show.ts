import {
  dailyValueCaps,
  knownContracts,
  loadPolicy,
  type MostLost,
  mostLost,
  mostLostText,
  type Policy,
  policyHash,
  policyMembers,
  readPolicyFile,
} from '@svc/engine/policy'
import { formatAmount } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { parseFlags } from '../parse-words-and-flags.ts'
import { sayTaken } from '../server-settings.ts'
import { table } from '../terminal-text.ts'
import { configuredChains } from './compile.ts'
import { findPolicy, policyPlace, printable, printProblems } from './policy-place.ts'

/**
 * `svc policy show`: the policy in force, every member with its value and whether the file says so, and on each chain with an endpoint
 * of its own (or else on those that the policy names) what may be moved and who may be approved. Resolves to 1 for a file that is wrong.
 */
export async function show(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['data-dir', 'policy'], switches: ['json', 'production'] })
  const file = flags.policy ?? null
  const settings = await policyPlace(flags['data-dir'], file, process.env)
  const { config, path, worldChains } = settings
  const from = (await findPolicy(path, file)) ? path : null
  sayTaken({ worldChains, wallet: null })
  const production = config.production || flags.production
  try {
    const written = from === null ? {} : ((await readPolicyFile(path))?.written ?? {})
    const policy = await loadPolicy(from ?? undefined, { production })
    const configured = configuredChains(settings)
    const chains = configured.length > 0 ? configured : config.chains.filter(({ id }) => isNamed(id, written))
    const shown: ShownPolicy = {
      from,
      mode: production ? 'production' : 'development',
      hash: policyHash(policy),
      policy: inForce(policy),
      mostLostUsd: mostLost(policy),
      chains: chains.map((chain) => chainFacts(chain, policy)),
    }
    process.stdout.write(flags.json ? `${JSON.stringify(shown)}\n` : textOf(shown, { path, written }))
    return 0
  } catch (error) {
    printProblems(path, error)
    return 1
  }
}

type ShownPolicy = {
  /** The file; `null` where the defaults hold. */
  readonly from: string | null
  readonly mode: 'production' | 'development'
  /** As audit lines name it. */
  readonly hash: string
  /** Every member, also those that were left out. */
  readonly policy: Policy
  /** What any 24 hours cost at most by what is signed. */
  readonly mostLostUsd: MostLost
  readonly chains: readonly ChainFacts[]
}

/** With what stands for the limits that a policy may leave out. */
function inForce(policy: Policy): Policy {
  const caps = dailyValueCaps(policy)
  const usd = (micros: bigint): string => formatAmount(micros, 6)
  return {
    ...policy,
    maxDailyLossUsd: usd(caps.loss),
    maxDailyGasUsd: policy.maxDailyGasUsd ?? usd(caps.loss),
    speculativeUsd: usd(caps.speculative),
    coldStartUsd: usd(caps.coldStart),
    poolPricedUsd: usd(caps.poolPriced),
  }
}

/** What may be moved, who may be approved and who may receive on a chain; the chain's own and what the policy adds. */
function chainFacts(chain: Chain, policy: Policy) {
  const { tokens, spenders, recipients } = knownContracts(chain, policy)
  const symbols = new Map(chain.tokens.map(({ address, symbol }) => [address.toLowerCase(), symbol]))
  return {
    id: chain.id,
    name: chain.name,
    tokens: [...tokens].map((address) => ({ address, symbol: symbols.get(address) ?? null })),
    spenders: [...spenders].map(([address, what]) => ({ address, what })),
    recipients: ['wallet', ...recipients],
  }
}

type ChainFacts = ReturnType<typeof chainFacts>

/** Whether anything in a policy file stands under this id of a chain. */
function isNamed(chainId: number, written: unknown): boolean {
  if (typeof written !== 'object' || written === null) return false
  return Object.entries(written).some(([key, value]) => key === `${chainId}` || isNamed(chainId, value))
}

function textOf({ from, mode, hash, policy, mostLostUsd, chains }: ShownPolicy, { path, written }: Origin): string {
  const names = policyMembers().flatMap(({ name }) => (name.includes('.') || name.startsWith('$') ? [] : [name]))
  const rows = names.flatMap((name) => rowsOf([name], memberOf(policy, name), written))
  return [
    `policy  ${from ?? `the defaults, for there is no ${path}`}`,
    `mode    ${mode}`,
    `hash    ${hash}, as audit lines name it`,
    `lost at most in any 24 hours: ${mostLostText(mostLostUsd)}, beside`,
    'what the market does. docs/policy.md, "What you can lose at most", says what else is not in it.',
    '',
    table([['MEMBER', 'VALUE', 'FROM'], ...rows], { alignRight: [] }),
    ...(chains.length === 0 ? [noChains] : chains.flatMap(chainLines)),
    '',
  ].join('\n')
}

type Origin = { readonly path: string; readonly written: unknown }

const noChains =
  'No chain has an endpoint of its own (SVC_RPC_URL_<id>), so the lists of tokens of the chains are left out.'

function rowsOf(path: readonly string[], value: unknown, written: unknown): readonly (readonly string[])[] {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const entries = isObject ? Object.entries(value) : []
  if (entries.length > 0) return entries.flatMap(([key, inner]) => rowsOf([...path, key], inner, written))
  const own: unknown = path.reduce(memberOf, written)
  const isAsWritten = JSON.stringify(own) === JSON.stringify(value)
  const from = own === undefined ? 'default' : isAsWritten || isObject || Array.isArray(value) ? 'file' : 'production'
  return [[printable(path.join('.')), printable(valueText(value)), from]]
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueText).join(', ')
  if (typeof value === 'object' && value !== null)
    return Object.keys(value).length === 0 ? 'none' : JSON.stringify(value)
  return String(value)
}

function chainLines({ id, name, tokens, spenders, recipients }: ChainFacts): readonly string[] {
  return [
    `${printable(name)} (${id})`,
    `  tokens      ${tokens.map(({ address, symbol }) => (symbol === null ? address : printable(symbol))).join(', ') || 'none'}`,
    ...spenders.map(({ address, what }) => `  spender     ${address} ${what}`),
    `  recipients  ${recipients.join(', ')}`,
  ]
}
