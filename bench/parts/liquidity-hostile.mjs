// Every trick of a trading API that wants the money, against every operation: whether it is refused before anything is signed.
import { figure } from './figure.mjs'
import { sized } from './size.mjs'

export async function measureHostile({ trading, operations, expectRefused, tricksOn }, report) {
  const tried = operations.slice(0, sized(Infinity, 2))
  let refused = 0
  for (const operation of tried) {
    try {
      refused += await expectRefused(trading, operation)
    } catch (error) {
      report(`${operation.name}: ${error.message}`)
    }
    await trading.closeWorlds()
  }
  const all = tried.reduce((sum, operation) => sum + tricksOn(operation).length, 0)
  const reference = `${refused} of ${all}: every trick that each of ${tried.length} operations has room for`
  const row = { value: refused / all, unit: 'share', reference, bar: 1, atMost: false, exact: true }
  return [figure({ ...row, name: 'hostile transactions refused before a signature' })]
}
