// The worst programs of the search for attacks on value, done again on the real local chain: the real contracts with what stood and
// happened before, every trade of attacker, arbitrageur and others at its block and time, and the agent behind the real pipeline under
// the same policy. What the owner lost there at the prices outside, beside what he lost in the search.
import { startDevnet } from '@svc/devnet'
import { figure } from './parts/figure.mjs'
import { loadValueSearch, worstOfSearch } from './parts/value-search.mjs'

export async function run(report) {
  const value = await loadValueSearch(['chain/hold-against-search', 'chain/replay-programs'])
  const programs = worstOfSearch(value)
  report(`${programs.length} programs of the search lost most of what a call may lose`)
  const rows = []
  for (const alike of chunks(programs)) {
    const devnet = await startDevnet({ history: false })
    try {
      await value.replayPrograms(devnet, alike, (replayable, calls) => {
        rows.push({ replayable, calls, ...value.holdAgainstSearch(replayable, calls) })
        report(`${rows.length}/${programs.length} ${textOf(rows.at(-1), value)}`)
      })
    } finally {
      await devnet.stop()
    }
  }
  const worst = rows.toSorted((one, other) => other.chainUsd - one.chainUsd)[0]
  report(`worst on the chain: ${textOf(worst, value)}`)
  report(JSON.stringify(worst.replayable.program))
  return figuresOf(rows, value)
}

/** A few of one scenario, which share what happened before them and a chain. */
function chunks(programs) {
  const scenarios = new Set(programs.map(({ program }) => program.scenario))
  return [...scenarios].flatMap((scenario) => {
    const alike = programs.filter(({ program }) => program.scenario === scenario)
    return alike.flatMap((_, index) => (index % perChain === 0 ? [alike.slice(index, index + perChain)] : []))
  })
}

const perChain = 2

function textOf({ replayable, calls, chainUsd, refusedAlone, allowedAlone }, { dailyLossUsd }) {
  const { program, codes, lossUsd, boundUsd, stakedUsd } = replayable
  const ends = calls.map(({ code }) => code).join(', ')
  const staked = stakedUsd > 0 ? ` beside ${usd(stakedUsd)} staked` : ''
  const allowed = `its calls may lose ${usd(boundUsd)}${staked}, a day ${usd(dailyLossUsd)}`
  const alone = [...refusedAlone, ...allowedAlone].map(
    ({ code, message }) => `\n      on the chain alone: ${code} ${message}`,
  )
  return `scenario ${program.scenario}: search ${usd(lossUsd)} (${codes.join(', ')}), chain ${usd(chainUsd)} (${ends}); ${allowed}${alone.join('')}`
}

function usd(amount) {
  return `${amount.toFixed(2)} USD`
}

function figuresOf(rows, { dailyLossUsd, toleranceUsd }) {
  const reference = 'the fifty worst of the search, again on the local chain'
  const row = (name, amount, unit, bar = {}) => figure({ name, value: amount, unit, reference, exact: true, ...bar })
  const most = (of) => Math.max(0, ...rows.map(of))
  const count = (of) => rows.reduce((sum, one) => sum + of(one), 0)
  const lostUsd = most(({ chainUsd }) => chainUsd)
  const less = ({ refusedAlone, beyondUsd }) => (refusedAlone.length > 0 ? 0 : -beyondUsd)
  const isAbove = ({ chainUsd, replayable }) => Number(chainUsd > replayable.boundUsd + replayable.stakedUsd)
  const unlike = { bar: toleranceUsd }
  return [
    row('programs done again', rows.length, 'programs'),
    row('most that a program lost, by what a day may lose', lostUsd / dailyLossUsd, 'x', { bar: 1 }),
    row('most that a program lost', lostUsd, 'USD'),
    row('programs that lost more than their calls may', count(isAbove), 'programs'),
    row(
      'most that the chain lost more than the search',
      most(({ beyondUsd }) => beyondUsd),
      'USD',
      unlike,
    ),
    row('most that the chain lost less, where it refused nothing', most(less), 'USD', unlike),
    row(
      'calls that the search refused and the chain did not',
      count(({ allowedAlone }) => allowedAlone.length),
      'calls',
      { bar: 0 },
    ),
    row(
      'calls that the chain refused and the search did not',
      count(({ refusedAlone }) => refusedAlone.length),
      'calls',
      { bar: mostRefused },
    ),
  ]
}

/** One in ten: of what is refused the chain shows nothing. */
const mostRefused = 5
