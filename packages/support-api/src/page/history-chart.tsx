import type { FC } from 'hono/jsx'
import type { FaucetChainReport } from '../faucet/report-faucet.ts'
import { chainTitle, shortDay, wholeNumber } from './words.ts'

/** Claims of each of the last days as bars; the same as a sentence, and as a table for whoever wants the numbers. */
export const HistoryChart: FC<{ chain: FaucetChainReport }> = ({ chain }) => {
  const { history } = chain
  const most = Math.max(1, ...history.map(({ claims }) => claims))
  const total = history.reduce((sum, { claims }) => sum + claims, 0)
  const busiest = history.find(({ claims }) => claims === most)
  const words =
    `Claims on ${chainTitle(chain)} in the last ${history.length} days: ${wholeNumber(total)}` +
    (busiest === undefined ? '.' : `, most of them, ${wholeNumber(most)}, on ${shortDay(busiest.day)}.`)
  return (
    <figure>
      <figcaption>
        <span>Last {history.length} days</span>
        <span>
          {wholeNumber(total)} {total === 1 ? 'claim' : 'claims'}
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${history.length * step} ${high + 2}`} role="img" aria-label={words}>
        {history.map(({ claims }, index) => (
          <rect
            class={claims === 0 ? 'nothing' : index === history.length - 1 ? 'today' : 'day'}
            x={index * step + 1}
            y={high - barOf(claims, most)}
            width={step - 4}
            height={barOf(claims, most) + 2}
            rx={2}
          />
        ))}
      </svg>
      <div class="ends" aria-hidden="true">
        <span>{shortDay(history[0]?.day ?? '')}</span>
        <span>today</span>
      </div>
      <details>
        <summary>As a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Day (UTC)</th>
              <th scope="col">Claims</th>
            </tr>
          </thead>
          <tbody>
            {history.toReversed().map(({ day, claims }) => (
              <tr>
                <td>{shortDay(day)}</td>
                <td>{wholeNumber(claims)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}

const step = 20
const high = 56

/** A day with a claim is distinguished from one without. */
function barOf(claims: number, most: number): number {
  return claims === 0 ? 0 : Math.max(4, Math.round((claims / most) * high))
}
