// Random sequences of operations on liquidity on the real local chain: whether what goes in comes out within fees, slippage and gas, to the
// wei where nothing is swapped.
import { startDevnet } from '@svc/devnet'
import { bundleFixtures } from './parts/bundle-fixtures.mjs'
import { figure } from './parts/figure.mjs'
import { sized } from './parts/size.mjs'

const whole = { operations: sized(500, 10), length: sized(40, 10) }

export async function run(report) {
  const built = ['@svc/devnet', 'vitest']
  const { playSequence } = await bundleFixtures(
    'packages/tool-server/src/tools/liquidity',
    ['operation-sequence'],
    built,
  )
  const devnet = await startDevnet({ history: false })
  const played = []
  const broken = []
  const done = () => played.flatMap(({ outcomes }) => outcomes.filter(({ refusal }) => refusal === null))
  try {
    for (let seed = 1; done().length < whole.operations && broken.length < mostBroken; seed += 1) {
      const restore = await devnet.checkpoint()
      try {
        const one = await playSequence(devnet, { seed, length: whole.length })
        played.push(one)
        report(`seed ${seed}: ${one.outcomes.length} operations, ${one.gainedUsd.toFixed(2)} USD in all`)
      } catch (error) {
        broken.push(error)
        report(reasonsOf(error).join(': '))
      }
      await restore()
    }
  } finally {
    await devnet.stop()
  }
  return figuresOf(played, done(), broken)
}

const mostBroken = 5

/** What an error says, and what each says that it came from. */
function reasonsOf(error) {
  return error instanceof Error ? [error.message, ...reasonsOf(error.cause)] : []
}

function figuresOf(played, done, broken) {
  const reference = `seeds 1 to ${played.length + broken.length}`
  const row = (name, value, unit, bar = {}) => figure({ name, value, unit, reference, exact: true, ...bar })
  const refused = played.flatMap(({ outcomes }) => outcomes).length - done.length
  const most = (of) => Math.max(0, ...done.map(of))
  return [
    row('sequences in which something did not hold', broken.length, 'count', { bar: 0 }),
    row('operations carried out', done.length, 'count'),
    row('operations refused, as there was nothing to do', refused, 'count'),
    row(
      'most that rounding took, of the smallest unit',
      most(({ lostUnits, operation }) => (operation.args.version === 'v2' ? 0 : Number(lostUnits))),
      'units',
    ),
    row('most that a swap took, of what was swapped', 100 * most(({ lostShare }) => lostShare), '%'),
  ]
}
