import * as z from 'zod'
import {
  operators,
  address,
  addresses,
  bps,
  breakerThresholds,
  byChain,
  contract,
  delay,
  poolId,
  poolRule,
  priceSources,
  principalId,
  seconds,
  signInGrants,
  toolName,
  twammHook,
  usd,
  valueRule,
  whole,
} from './policy-values.ts'

/**
 * The operator's policy, in the form it has in `policy.json`. Every member may be left out and then has the default
 * written here; an unknown member is refused. The descriptions are the ones of `docs/policy.md` and of the published
 * JSON Schema.
 */
export const policySchema = z.strictObject({
  $schema: z.string().max(2048).optional().describe('Where editors find the JSON Schema. Ignored.'),
  version: z.literal(1).default(1).describe('Version of this format.'),
  limitsUsd: z
    .strictObject({
      perTransaction: usd()
        .default('500')
        .describe('US dollars that one call may spend at most. Against one large mistake or theft.'),
      perSession: usd()
        .default('1000')
        .describe(
          'US dollars a caller may spend until it has spent nothing for 30 minutes. Against an agent that runs away.',
        ),
      daily: usd()
        .default('2000')
        .describe(
          'US dollars that all callers together may spend in any 24 hours, not a calendar day. Against many small spends.',
        ),
    })
    .prefault({})
    .describe(
      'Spending limits: what leaves the wallet, what is approved, and gas at its worst, measured and priced by the server. Not of what only brings funds home, which is held to maxDailyGasUsd.',
    ),
  approvalThresholdUsd: usd()
    .nullable()
    .default('250')
    .describe('US dollars above which a person must approve; null: never. Against large spends nobody has seen.'),
  slippageBps: z
    .strictObject({
      default: bps().default(50).describe('Hundredths of a percent, for calls that name none.'),
      cap: bps()
        .default(500)
        .describe(
          'Hundredths of a percent a call may name at most, but for one that only brings funds home. Against sandwich attacks.',
        ),
    })
    .prefault({})
    .describe('How much worse than quoted a trade may be.'),
  maxLossBps: bps()
    .max(500, 'accepted: a whole number from 0 to 500')
    .default(100)
    .describe(
      "Value that one call may lose, in hundredths of a percent of what leaves, at trusted prices. The pool's own fee and the width of the price band are allowed on top, up to 500 in all. Against trades that give value away.",
    ),
  maxDailyLossUsd: usd()
    .optional()
    .describe(
      'Value in US dollars that all calls together may lose in any 24 hours. Left out: 2 % of limitsUsd.daily. Against many small losses.',
    ),
  maxDailyGasUsd: usd()
    .optional()
    .describe(
      'Gas in US dollars that all calls together may burn in any 24 hours, each at its worst until it is mined. What only brings funds home (something arrives for nothing, or an allowance is taken back) has as much again of its own and is held to no other limit; where its gas is at most 5 % of what is sure to come and limitsUsd.perTransaction, it is held to none, as long as those that did not repay theirs have burnt no more than this. Left out: maxDailyLossUsd. Against tokens, hooks and agents that burn gas.',
    ),
  maxPoolDeviationBps: bps()
    .default(200)
    .describe(
      'Hundredths of a percent by which the price of a pool may lie outside the trusted price band when a deposit is made. Against pools whose price was pushed, and new pools opened at a wrong price.',
    ),
  maxPriceImpactBps: bps()
    .default(300)
    .describe(
      'Hundredths of a percent by which a trade may be worse than the trusted price, the fees of the pools not counted. Against thin pools.',
    ),
  maxPriceBandBps: bps()
    .default(1_000)
    .describe(
      'Hundredths of a percent by which the sources of a price may differ. If they differ by more, nothing is spent of the token or on it. Against prices that somebody is moving.',
    ),
  speculativeUsd: usd()
    .optional()
    .describe(
      'US dollars that may be spent in any 24 hours on tokens without a named price source. Left out: 0 under a strict allowlist, else a tenth of limitsUsd.daily. Against worthless tokens.',
    ),
  coldStartUsd: usd()
    .optional()
    .describe(
      'US dollars that may be spent in any 24 hours on tokens of which only the current price is known, because no source remembers an earlier one yet. Such tokens can be bought, and positions in them closed, but they cannot be sold or deposited. Left out: a tenth of limitsUsd.daily. Against pools that were pushed before the server first looked.',
    ),
  poolPricedUsd: usd()
    .optional()
    .describe(
      "US dollars that may be moved without a person's approval in any 24 hours in tokens without a feed, which their named pools alone price; of each such token also no more than a tenth of the depth of its pools. Left out: the sum at which a price that is wrong by maxPriceBandBps loses maxDailyLossUsd, by default a fifth of limitsUsd.daily. Against prices pushed over time.",
    ),
  unnamedSales: z
    .enum(['ask', 'allow'])
    .default('ask')
    .describe(
      'Whether tokens without a named price source, and tokens priced by pools alone, where their price is outside expectedUsd of priceSources or none is written, leave by trade or deposit only after a person has approved (ask), or without one, counted at what pools say (allow). Against bids of strangers.',
    ),
  valueRules: z
    .strictObject({
      tools: z.record(toolName(), valueRule()).default({}).describe('Bounds by the name of a tool.'),
      pools: byChain(z.record(poolId(), poolRule()))
        .default({})
        .describe(
          'Bounds by chain id and pool (address of the pair or pool, PoolId in v4), such as for a thin pool that the owner wants to use.',
        ),
    })
    .prefault({})
    .describe(
      'Other bounds of value for single tools and pools. The bound of a pool takes precedence over that of a tool.',
    ),
  priceSources: byChain(z.record(address(), priceSources()))
    .default({})
    .describe(
      "Price sources by chain id and token. They replace those that the chain's own list names for the token, unless they name neither a feed nor a pool. `svc policy add-token CHAIN TOKEN` proposes them; a person confirms.",
    ),
  deadlineSeconds: z
    .strictObject({
      default: seconds()
        .default(600)
        .describe('Seconds, for calls that name none; `execute_swap` takes 180 at most then.'),
      cap: seconds()
        .default(600)
        .describe('Seconds a call may name at most. Against a transaction that is held back until it pays somebody.'),
    })
    .prefault({})
    .describe('How long a signed transaction may be mined.'),
  privateSubmission: z
    .strictObject({
      publicAfterSeconds: whole(1, 3600)
        .optional()
        .describe(
          'Seconds after its signature from which a trade that the private endpoint has not got mined is offered to the public endpoints, where anybody sees it. Choose less than deadlineSeconds. Left out: never; it waits, and is offered to the private endpoint again.',
        ),
    })
    .prefault({})
    .describe(
      'How trades go out on a chain that has a private endpoint (SVC_PRIVATE_RPC_URL_<chainId>). Against whoever trades around what waits in the public pool.',
    ),
  allowlist: z
    .strictObject({
      mode: z
        .enum(['strict', 'lenient'])
        .optional()
        .describe(
          'strict refuses other tokens, and tokens without a price; lenient records the verdict and goes on. Left out: strict in production, else lenient. Against worthless and hostile tokens.',
        ),
      tokens: byChain(addresses())
        .default({})
        .describe(
          'Tokens by chain id, beside those of the chain\'s own list; svc policy add-token writes them with their price sources. For example { "8453": ["0x940181a94A35A4569E4529A3CDfB74e38FD98631"] }.',
        ),
    })
    .prefault({})
    .describe('Which tokens may be part of a transaction, by chain and address, never by symbol.'),
  contracts: byChain(z.array(contract()).max(1000))
    .default({})
    .describe(
      "Contracts by chain id that may be called beside the AMM's own: an address, or { address, selectors } to name the only functions that may be called. Their arguments are not read: name only what you trust. Against calls into unknown code.",
    ),
  twammHooks: byChain(z.array(twammHook()).max(100))
    .default({})
    .describe(
      'TWAMM hooks by chain id, each with the pools in which orders may be placed: { hook, pools } with an address and 32-byte PoolIds. They sell an order of the wallet bit by bit over time; it leaves the wallet whole and stays in the hook until it is sold, cancelled or claimed. Name only code that you have read, and pools whose liquidity no stranger can take away: what is left of an order is sold to whoever is left. Keep a hook named until its last order has ended. Against hooks and pools that keep what they are given.',
    ),
  vaults: byChain(addresses())
    .default({})
    .describe(
      'ERC-4626 vaults by chain id into which the wallet may put the token that they take, whose shares it may give back to them, and which it may rebalance where it manages them, into strategies that are named here as well. What a vault does with the money nobody here sees: name only code that you have read and managers that you trust. Keep a vault named until its last share is given back. Against vaults that keep what they are given.',
    ),
  batchDelegate: byChain(address())
    .default({})
    .describe(
      'The contract by chain id to which the wallet may delegate (EIP-7702), so that several calls are one transaction of which all happen or none: compound_fees with a swap, and batch_lp_operations. It must hold exactly the code of our own batch delegate; or it is Simple7702Account, and they go as user operations where a bundler and a paymaster are configured. Delegation lasts until it is ended. svc policy add-delegate writes it. Left out: such calls are refused. Against delegation to code that takes the wallet over.',
    ),
  recipients: byChain(addresses())
    .default({})
    .describe('Addresses by chain id that may receive funds or positions beside the wallet. Against theft.'),
  spenders: byChain(addresses())
    .default({})
    .describe("Addresses by chain id that may be approved beside the AMM's own. Against approvals that drain later."),
  proxyDelay: z
    .boolean()
    .default(false)
    .describe('Whether the delay of a risk tier is kept. Always so in production. Against what nobody could stop.'),
  delaySeconds: z
    .strictObject({
      routine: delay().default(0).describe('Seconds, for trades, liquidity and fees.'),
      standard: delay()
        .default(10 * 60)
        .describe('Seconds.'),
      elevated: delay()
        .default(60 * 60)
        .describe('Seconds.'),
      critical: delay()
        .default(24 * 60 * 60)
        .describe('Seconds.'),
    })
    .prefault({})
    .describe('Time between plan and signing for each risk tier, where delays are kept.'),
  approvals: z
    .strictObject({
      channels: z
        .array(z.enum(['operator', 'client']))
        .optional()
        .describe(
          'Whose word counts above the threshold: operator, who decides with `svc approvals`; client, the person at the program that calls, who is asked through it. Left out: operator in production or where `operators` names any, else both. Whoever holds a Write key could answer for the person at the client.',
        ),
      expirySeconds: seconds()
        .default(60 * 60)
        .describe('Seconds after which a request nobody has decided, or an approval nobody has used, ends.'),
      maxWaiting: z
        .int()
        .min(1)
        .max(1000)
        .default(20)
        .describe(
          'Operations of one caller that may await approval or the time of their delay at once. Against one caller whose requests hide those of others.',
        ),
    })
    .prefault({})
    .describe("How a person's word is asked for."),
  planExpirySeconds: seconds()
    .default(10 * 60)
    .describe('Seconds for which the plan of a dry run can be carried out. Against plans of another market.'),
  breaker: breakerThresholds()
    .prefault({})
    .describe('The circuit breaker opens on any of these and stays open until the operator re-arms it.'),
  principals: z
    .record(
      principalId(),
      z.strictObject({
        tools: z.array(toolName()).optional().describe('Write tools this caller may use; all when left out.'),
        limitsUsd: z
          .strictObject({
            perTransaction: usd().optional().describe('US dollars.'),
            perSession: usd().optional().describe('US dollars.'),
            daily: usd()
              .optional()
              .describe('US dollars of this caller in any 24 hours, beside the sum of all callers.'),
          })
          .optional()
          .describe('Lower limits for this caller.'),
        approvalThresholdUsd: usd().optional().describe('US dollars: a lower threshold for this caller.'),
      }),
    )
    .default({})
    .describe(
      'What single callers may do at most, by principal id (`svc keys list` prints that of each key; it stands in the audit log, too). It can only take away from what their key and this policy give. Against one leaked key.',
    ),
  signIn: signInGrants(),
  operators: operators(),
  rateLimits: z
    .strictObject({
      unauthenticatedPerIp: whole(1, 1_000_000)
        .default(120)
        .describe('Requests a minute per address, for those that fail or lack authentication.'),
      perIp: whole(1, 1_000_000)
        .default(1_200)
        .describe('All requests a minute per address, and messages and pings over WebSocket; of IPv6 per /64.'),
      perToken: whole(1, 1_000_000).default(600).describe('Requests a minute per key or token.'),
    })
    .prefault({})
    .describe('Read when the server starts. Against guessing and flooding.'),
})

/** The JSON Schema (draft 2020-12) of `policy.json`, as it is published. What it cannot say, `svc policy check` does. */
export function policyJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(policySchema, { io: 'input' })
  return {
    $schema,
    title: 'policy.json',
    description:
      'What the agent may do with the wallet. Limits that contradict each other, checksums of addresses and grants that would loosen something are refused as well when the file is read.',
    ...schema,
  }
}
