import { section } from './row.ts'

const tools = 'packages/tool-server/src/tools'
const liquidity = `${tools}/liquidity`
const analytics = `${tools}/analytics`

/** The document about the liquidity tools, beside the parameters, members and codes of each. */
export const liquidityTools = [
  ...section('What they do', [
    ['v2, v3 and v4: add, remove', `${liquidity}/add-liquidity.chain.test.ts`, 'opens a ${version} position in %s/%s'],
    [
      'analytics need no key: pool, subgraph and chain suffice',
      `${analytics}/optimize-lp-range.chain.test.ts`,
      'tells of %s what the closed forms say',
    ],
    [
      'writes pass the safety pipeline; `add_liquidity` tells by `safetyChecks`',
      `${liquidity}/add-liquidity.chain.test.ts`,
      'an unlisted token is told of in lenient mode',
    ],
    [
      'with `SVC_TRADING_API_KEY` the routes of the trading API, else our own calls',
      `${liquidity}/trading-routes.system.test.ts`,
      'and what it has no words for is built here',
    ],
    [
      '`migrate_position` and `claim_lp_rewards` need the key',
      `${liquidity}/migrate-position.test.ts`,
      'needs the key of the trading API',
    ],
    [
      '`learning`: entries and exits leave episodes, which later answers use',
      `${tools}/memory/learning.chain.test.ts`,
      'an entry and an exit leave an episode of chain facts',
    ],
    [
      '`memoryCalibration` of `optimize_lp_range`',
      `${tools}/memory/learning.chain.test.ts`,
      'an answer without episodes is the one of the profile full',
    ],
    [
      '`chain` by name or id; amounts as decimal strings',
      `${tools}/catalogue.test.ts`,
      'take the id of a chain as a number, too',
    ],
  ]),
  ...section('Resources', [
    [
      'fee tiers 100, 500, 3000, 10000',
      `${liquidity}/add-liquidity.chain.test.ts`,
      'an unusual fee names an existing v4 pool or nothing',
    ],
    [
      'ranges: full, narrow 5, medium 15, wide 50 percent either way',
      `${liquidity}/add-liquidity.chain.test.ts`,
      '%s reaches %d %% of the price from end to end',
    ],
    ['the full range', `${liquidity}/add-liquidity.chain.test.ts`, 'the full range is all a pool can hold'],
    [
      '`conservative` 95, `moderate` 80, `aggressive` 60 percent in range',
      `${analytics}/optimize-lp-range.chain.test.ts`,
      'is wider the surer it shall be',
    ],
    [
      'risks `HIGH`, `MODERATE`, `LOW`, `NONE`',
      `${tools}/format-choice.test.ts`,
      '%d of the time in range is a risk called %s',
    ],
    [
      'operations of a batch: `collect`, `compound`, `remove`, `add`, `rebalance`',
      `${liquidity}/batch-lp-operations.chain.test.ts`,
      'does everything in one transaction',
    ],
    [
      'strategies `name`, `rangePct`, `rebalanceThresholdPct`, and `narrow`, `medium`, `wide`, `full-range` by default',
      `${analytics}/backtest-lp-strategy.chain.test.ts`,
      'replays the four usual strategies over whole hours',
    ],
  ]),
  ...section('How', [
    [
      'upstream: `POST /lp/create` opens, with `outputHooks` of v4, and makes a missing pool',
      `${liquidity}/trading-routes.system.test.ts`,
      'a pool that is missing in %s',
    ],
    [
      'upstream: `POST /lp/approve` and its permit are not asked for: allowances are exact, and made on chain',
      `${liquidity}/trading-routes.system.test.ts`,
      '%s %s/%s',
    ],
    [
      'upstream: `POST /lp/decrease` (`liquidityPercentageToDecrease`, `tokenId`), `POST /lp/claim`, `POST /lp/increase`',
      `${liquidity}/trading-routes.system.test.ts`,
      '%s %s/%s',
    ],
    [
      'upstream: `POST /quote` and `POST /swap`',
      `${liquidity}/trading-samples.chain.test.ts`,
      'a trade gives no less than was quoted here',
    ],
    [
      'upstream: `POST /lp/migrate` (`positionTokenId`, `outputHooks`, `slippageTolerance`; the real names differ, and are those that are sent)',
      `${liquidity}/migrate-position.chain.test.ts`,
      '%s/%s: all of the position goes into v4',
    ],
    [
      'upstream: `POST /lp/claim_rewards`',
      `${liquidity}/claim-lp-rewards.chain.test.ts`,
      'claims what is owed in the tokens named',
    ],
    [
      'upstream: the key in a header, the form of each request and answer',
      'packages/amm/src/upstream/create-trading-client.test.ts',
      'takes nothing of another form',
    ],
    [
      'an omitted `amount1` follows the ratio',
      `${liquidity}/add-liquidity.chain.test.ts`,
      'a left-out amount1 is matched to the pool on %s',
    ],
    [
      'Monte Carlo over geometric Brownian motion, exponentially weighted volatility',
      `${analytics}/optimize-lp-range.chain.test.ts`,
      'a simulation agrees with the closed forms within its own errors',
    ],
    [
      '`volatilitySource` `implied`',
      `${analytics}/optimize-lp-range.chain.test.ts`,
      'takes a volatility that the fees imply',
    ],
    [
      'fees in proportion to volume at the ticks, gas by chain',
      `${analytics}/backtest-lp-strategy.chain.test.ts`,
      'of the full range loses what',
    ],
    [
      '`compound_fees` is one transaction, with the swap to the ratio',
      `${liquidity}/compound-fees.chain.test.ts`,
      'swaps what is too much and adds both to a %s position, as one transaction',
    ],
    [
      'a batch is all or none',
      `${liquidity}/batch-lp-operations.chain.test.ts`,
      'names the operation that fails, and does nothing of the others',
    ],
    [
      'a TWAMM order over its hook',
      `${tools}/orders/submit-twamm-order.chain.test.ts`,
      'sells %s until the end of an hour',
    ],
    [
      'what became of it, and against the spot price',
      `${tools}/orders/get-twamm-order-status.chain.test.ts`,
      'follows an order of %s from its start to its claim',
    ],
    [
      '`rebalance_position` closes and opens',
      `${liquidity}/rebalance-position.chain.test.ts`,
      'closes, swaps and opens a %s position of %s',
    ],
    [
      '`migrate_position` moves v3 to v4 atomically',
      `${liquidity}/migrate-position.chain.test.ts`,
      '%s/%s: all of the position goes into v4',
    ],
    [
      '`harvest_rewards`: discover (`get_positions_by_owner`), filter, `collect_fees`, `claim_lp_rewards`, one `execute_swap` a token',
      `${liquidity}/harvest-rewards.chain.test.ts`,
      'a harvest claims what campaigns owe between collections and swaps',
    ],
    [
      'each of its swaps passes the pipeline by itself',
      `${liquidity}/harvest-failures.chain.test.ts`,
      'a swap that needs a person is refused and waits for nobody',
    ],
    [
      'risk tier standard, 10 minutes of delay',
      `${liquidity}/harvest-failures.chain.test.ts`,
      'signs nothing first, runs whole when it is due',
    ],
    [
      '`dryRun` broadcasts nothing',
      `${liquidity}/harvest-rewards.chain.test.ts`,
      'a dry run shows the whole plan and broadcasts nothing',
    ],
  ]),
  ...section('Limits', [
    [
      '`remove_liquidity.percentage` 1 to 100; `optimize_lp_range.simulations` 5000, at most 50000, `optimize_lp_range.horizonDays` 30; `migrate_position.slippageTolerance` 50; `harvest_rewards.slippageBps` 100, `harvest_rewards.minHarvestUsd` 0.10',
      `${tools}/specification.test.ts`,
      '%s: %s is %s by default',
    ],
    ['bounds of numbers', `${tools}/catalogue.test.ts`, 'show the bounds of numbers, at which one refusal says all'],
    ['seven days of prices for a range', `${analytics}/optimize-lp-range.chain.test.ts`, 'needs seven days of prices'],
    ['fourteen for a backtest', `${analytics}/backtest-lp-strategy.test.ts`, 'takes 14 whole ones whatever the minute'],
    [
      'an hour of a TWAMM order at least',
      `${tools}/orders/submit-twamm-order.chain.test.ts`,
      'asks for a pool, a hook, an amount and a time that an order can have',
    ],
  ]),
]
