import { figure, median } from './figure.mjs'

/** What came of one claim: whether it lay in both intervals, and how wide the outer one was. */
export function scored({ low95, low68, high68, high95 }, came, about) {
  return {
    ...about,
    in68: came >= low68 && came <= high68,
    in95: came >= low95 && came <= high95,
    width: high95 - low95,
    crps: crpsOf([low95, low68, high68, high95], came),
  }
}

/** The pinball loss of the four bounds: a score for all of an interval that rewards what is narrow and covers, as CRPS does. */
function crpsOf(bounds, came) {
  const shares = [0.025, 0.16, 0.84, 0.975]
  const losses = bounds.map((bound, index) => {
    const off = came - bound
    return 2 * (off > 0 ? shares[index] * off : (shares[index] - 1) * off)
  })
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length
}

/** The interval in the logarithm, in which errors of what is positive are alike from pool to pool. */
export function inLogs(interval, least) {
  return Object.fromEntries(Object.entries(interval).map(([name, value]) => [name, Math.log(Math.max(value, least))]))
}

export function percentOf(claims, holds) {
  return (100 * claims.filter(holds).length) / claims.length
}

export function summaryOf(claims) {
  return {
    count: claims.length,
    of68: percentOf(claims, ({ in68 }) => in68),
    of95: percentOf(claims, ({ in95 }) => in95),
    width: median(claims.map(({ width }) => width)),
    crps: claims.reduce((sum, { crps }) => sum + crps, 0) / claims.length,
  }
}

/** Two figures: how far the coverage of each interval lies off what it says. */
export function coverageFigures(name, claims, { bar68, bar95, bar95Middle = 95, reference }) {
  const { count, of68, of95 } = summaryOf(claims)
  const said = `${reference}, ${count} windows: ${of68.toFixed(1)} and ${of95.toFixed(1)} % covered`
  return [
    figure({
      name: `${name}, 68 %: coverage off by`,
      value: Math.abs(of68 - 68),
      unit: 'points',
      reference: said,
      bar: bar68,
      exact: true,
    }),
    figure({
      name: `${name}, 95 %: coverage off ${bar95Middle} by`,
      value: Math.abs(of95 - bar95Middle),
      unit: 'points',
      reference: said,
      bar: bar95,
      exact: true,
    }),
  ]
}

/** Claims by a member of what they are about. */
export function groups(claims, member) {
  return [...groupBy(claims, member)]
}

function groupBy(claims, member) {
  const found = new Map()
  for (const claim of claims) found.set(claim[member], [...(found.get(claim[member]) ?? []), claim])
  return found
}
