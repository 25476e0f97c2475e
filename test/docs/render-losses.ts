import { dailyValueCaps, mostLost, type Policy } from '@svc/engine/policy'
import { groupDigits } from '@svc/engine/approvals'

/** What `docs/policy.md` says of the most that can be lost: the sums of policies side by side, and what is in none of them. */
export function renderLosses(columns: readonly Column[], policy: Policy): string {
  const rows = [
    [
      'value, in trades and deposits that are worse than trusted prices',
      '`maxDailyLossUsd`; left out, 2 % of `limitsUsd.daily`',
      ...columns.map((one) => lostOf(one).trades),
    ],
    [
      'gas of everything but bringing funds home',
      '`maxDailyGasUsd`; left out, as much as `maxDailyLossUsd`',
      ...columns.map((one) => lostOf(one).gas),
    ],
    [
      'gas of bringing funds home (removing, collecting, taking allowances back), where what came did not repay it',
      'the same three times: once for what is not asked to repay its gas, once for what was to and failed, once for removals that no stranger can make fail, and failed',
      ...columns.map((one) => lostOf(one).homeGas),
    ],
    ['**together, in any 24 hours**', '', ...columns.map((one) => `**${lostOf(one).total}**`)],
    [
      'and beyond it, the gas of the call that uses up one of the last two',
      'a twentieth of what the call was to bring home, and `limitsUsd.perTransaction`',
      ...columns.map((one) => `${lostOf(one).lastHomeGas} each`),
    ],
  ]
  const outside = [
    [
      'The market: prices that fall, impermanent loss of open positions',
      'all that the wallet holds; no limit looks at it',
    ],
    [
      'A listed token whose author turns on its holders',
      `one call, so \`limitsUsd.perTransaction\` (${dollars(policy.limitsUsd.perTransaction)}), and all that is held of it, in positions too. Then the breaker opens`,
    ],
    [
      'A vault that the policy names, and that turns on its depositors',
      `all that lies in it, and what goes in: up to \`limitsUsd.daily\` (${dollars(policy.limitsUsd.daily)}) a day, for shares that say nothing of what they will pay. What it takes by itself of an allowance counts as lost and opens the breaker`,
    ],
    [
      'Tokens without a feed, whose pools somebody pushes',
      `where you list such tokens: \`poolPricedUsd\` (${dollars(capOf(policy, 'poolPriced'))}) and \`coldStartUsd\` (${dollars(capOf(policy, 'coldStart'))}) a day, and \`speculativeUsd\` (${dollars(capOf(policy, 'speculative'))}); more where a person says yes`,
    ],
    [
      'An order over time (TWAMM)',
      `where \`twammHooks\` names a hook: all of the order, up to the limits (${dollars(policy.limitsUsd.perTransaction)} an order, ${dollars(policy.limitsUsd.daily)} a day). Nobody bounds what its pool pays later`,
    ],
    [
      'Gas that was repaid',
      `of each call that brings funds home at most 5 % of what came, and \`limitsUsd.perTransaction\` (${dollars(policy.limitsUsd.perTransaction)}); no day bounds it`,
    ],
    [
      'Gas of ending what is out: allowances taken back, calls cancelled, fees raised',
      'it counts, so the next call is refused, and is itself refused by few limits (SECURITY.md, "What they do not cover")',
    ],
    [
      'Whatever leaves past the server: a key that is stolen, a token that takes balances',
      `the breaker stops signing once ${policy.breaker.maxBalanceDropPct} % of what the wallet held are gone within ${policy.breaker.windowMinutes} minutes otherwise than on record. It brings nothing back, stops nobody who has the key, and looks once a minute: what comes and goes between two looks it never saw`,
    ],
    [
      'Code under `contracts`, feeds and endpoints that lie, whoever has the machine',
      'SECURITY.md says what is believed of whom',
    ],
  ]
  const head = ['what is lost', 'what bounds it', ...columns.map(({ title }) => title)]
  return [
    ...table(head, rows),
    '',
    'Not in these sums:',
    '',
    ...table(['what', 'how much, under the defaults'], outside),
  ].join('\n')
}

type Column = { readonly title: string; readonly policy: Policy }

function lostOf({ policy }: Column): ReturnType<typeof mostLost> {
  return mostLost(policy)
}

function capOf(policy: Policy, name: 'poolPriced' | 'coldStart' | 'speculative'): string {
  return `${dailyValueCaps(policy)[name] / 1_000_000n}`
}

function dollars(decimal: string): string {
  return `${groupDigits(decimal)} USD`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
}
