// What attacks on the rules about value cost the owner, in memory: thousands of attacker programs beside an honest agent, under the
// server's own prices and rules; the same search where prices of the moment are believed, which must find what there is to lose; and how
// many honest calls the rules refuse.
import { figure } from './parts/figure.mjs'
import { fullReplay, fullSearch, knownSearch, loadValueSearch, naiveSearch } from './parts/value-search.mjs'

export async function run(report) {
  const value = await loadValueSearch()
  const { createOperatorGuard, createServerGuard: createGuard, serverLook: look, spotPrices } = value
  const random = value.search({ ...fullSearch, createGuard, look })
  report(`${random.programs} random programs`)
  const known = value.search({ ...knownSearch, createGuard, look })
  report(`${known.programs} known attacks and changes of them`)
  const naiveGuard = (world) => createOperatorGuard(world, spotPrices)
  const naive = value.search({ ...naiveSearch, createGuard: naiveGuard, look: spotPrices })
  report(`${naive.programs} programs against prices of the moment`)
  const honest = value.replayHonestly({ ...fullReplay, createGuard, look })
  report(`${honest.calls} honest calls`)
  return [...figuresOfSearch(value, { random, known, naive }), ...figuresOfReplay(value, honest)]
}

function figuresOfSearch(
  { dailyLossUsd, multipleOfProgram, beyondPerDollar, earnedOfOwner },
  { random, known, naive },
) {
  const reference = `seed ${fullSearch.seed}, ${fullSearch.scenarios} chains, 1,000,000 USD each`
  const row = (name, value, unit, bar = {}) => figure({ name, value, unit, reference, exact: true, ...bar })
  const most = (results, of) => Math.max(0, ...results.map(of))
  const sum = (name) => random[name] + known[name]
  const lostUsd = Math.max(random.worstLossUsd, known.worstLossUsd)
  const beyond = Math.max(most(random.cheapest, beyondPerDollar), most(known.cheapest, beyondPerDollar))
  const naively = 'where prices of the moment are believed: most lost'
  return [
    row('attacker programs run', sum('programs'), 'programs'),
    row('calls of the agent in them', sum('calls'), 'calls'),
    row('of these refused', (100 * sum('refused')) / sum('calls'), '%'),
    row('random: most that a call lost, by what it may lose', most(random.worst, multipleOfProgram), 'x', { bar: 1 }),
    row('the same at the price of the very moment', random.momentMultiple, 'x'),
    row('known: most that a call lost, by what it may lose', most(known.worst, multipleOfProgram), 'x'),
    row('what a dollar beyond it cost the attacker, at least', Math.min(1 / beyond, mostPaidUsd), 'USD', {
      bar: 10,
      atMost: false,
    }),
    row('most that a program lost, by what a day may lose', lostUsd / dailyLossUsd, 'x', { bar: 1 }),
    row('most that a program lost', lostUsd, 'USD'),
    row(
      "attacker's best profit at the owner's expense",
      Math.max(most(random.dearest, earnedOfOwner), most(known.dearest, earnedOfOwner)),
      'USD',
      { bar: dailyLossUsd },
    ),
    row(naively, most(naive.worst, multipleOfProgram), 'x', { bar: 5, atMost: false }),
    row(naively, naive.worstLossUsd, 'USD', { bar: naiveLossUsd, atMost: false }),
  ]
}

/** Where nothing is lost beyond it. */
const mostPaidUsd = 1_000_000

/** A search that finds less where there is a hole is worth nothing. */
const naiveLossUsd = 2_500

function figuresOfReplay({ isHelpful }, { calls, refused, asked }) {
  const reference = `seed ${fullReplay.seed}, ${fullReplay.days} days on ${fullReplay.kinds} kinds of chains`
  const exact = { reference, exact: true }
  const unhelpful = [...refused, ...asked].filter(({ verdict }) => !isHelpful(verdict))
  return [
    figure({ ...exact, name: 'honest calls', value: calls, unit: 'calls' }),
    figure({ ...exact, name: 'of these refused', value: (100 * refused.length) / calls, unit: '%', bar: 1 }),
    figure({
      ...exact,
      name: 'of these put to a person',
      value: (100 * asked.length) / calls,
      unit: '%',
    }),
    figure({
      ...exact,
      name: 'refusals without a sentence that helps',
      value: unhelpful.length,
      unit: 'calls',
      bar: 0,
    }),
  ]
}
