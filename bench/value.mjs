// What attacks on the rules about value cost the owner, in memory: thousands of attacker programs beside an honest agent, under the
// server's own prices and rules; the same search where prices of the moment are believed, which must find what there is to lose; and how
// many honest calls the rules refuse.
import { figure } from './parts/figure.mjs'
import { fullReplay, fullSearch, loadValueSearch } from './parts/value-search.mjs'

export async function run(report) {
  const value = await loadValueSearch()
  const { createOperatorGuard, createServerGuard, serverLook: look, spotPrices } = value
  const found = value.search({ ...fullSearch, createGuard: createServerGuard, look })
  report(`${found.programs} attacker programs`)
  const naive = value.search({
    ...fullSearch,
    programs: 200,
    climbs: 200,
    createGuard: (world) => createOperatorGuard(world, spotPrices),
    look: spotPrices,
  })
  report(`${naive.programs} of them against prices of the moment`)
  const honest = value.replayHonestly({ ...fullReplay, createGuard: createServerGuard, look })
  report(`${honest.calls} honest calls`)
  return [...figuresOfSearch(value, found, naive), ...figuresOfReplay(value, honest)]
}

function figuresOfSearch({ dailyLossUsd, multipleOfProgram, earnedOfOwner }, found, naive) {
  const reference = `seed ${fullSearch.seed}, ${fullSearch.scenarios} chains, 1,000,000 USD each`
  const row = (name, value, unit, bar = {}) => figure({ name, value, unit, reference, exact: true, ...bar })
  const most = (results, of) => Math.max(0, ...results.map(of))
  const earned = most(found.dearest, earnedOfOwner)
  const naively = 'where prices of the moment are believed: most lost'
  return [
    row('attacker programs run', found.programs, 'programs'),
    row('calls of the agent in them', found.calls, 'calls'),
    row('of these refused', (100 * found.refused) / found.calls, '%'),
    row('most that a call lost, by what it may lose', most(found.worst, multipleOfProgram), 'x', { bar: 1 }),
    row('the same at the price of the very moment', found.momentMultiple, 'x'),
    row('most that a program lost, by what a day may lose', found.worstLossUsd / dailyLossUsd, 'x', { bar: 1 }),
    row('most that a program lost', found.worstLossUsd, 'USD'),
    row("attacker's best profit at the owner's expense", earned, 'USD', { bar: dailyLossUsd }),
    row(naively, most(naive.worst, multipleOfProgram), 'x', { bar: 5, atMost: false }),
    row(naively, naive.worstLossUsd, 'USD', { bar: naiveLossUsd, atMost: false }),
  ]
}

/** A search that finds less where there is a hole is worth nothing. */
const naiveLossUsd = 2_500

function figuresOfReplay({ isHelpful }, { calls, refused }) {
  const reference = `seed ${fullReplay.seed}, ${fullReplay.days} days on ${fullReplay.kinds} kinds of chains`
  const exact = { reference, exact: true }
  const unhelpful = refused.filter(({ verdict }) => !isHelpful(verdict))
  return [
    figure({ ...exact, name: 'honest calls', value: calls, unit: 'calls' }),
    figure({ ...exact, name: 'of these refused', value: (100 * refused.length) / calls, unit: '%', bar: 1 }),
    figure({
      ...exact,
      name: 'refusals without a sentence that helps',
      value: unhelpful.length,
      unit: 'calls',
      bar: 0,
    }),
  ]
}
