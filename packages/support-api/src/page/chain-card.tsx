import type { FC } from 'hono/jsx'
import type { FaucetChainReport } from '../faucet/report-faucet.ts'
import { chainTitle, recentTime, shortAmount, shortDay, wholeNumber } from './words.ts'

/** One chain of the faucet: whether it serves, what it holds and has left, and its last fourteen days. */
export const ChainCard: FC<{ chain: FaucetChainReport }> = ({ chain }) => {
  const state = states[chain.reason ?? 'ok']
  return (
    <article class="card">
      <div class="heading">
        <h3>{chainTitle(chain)}</h3>
        <span class={`chip ${state.tone}`}>{state.chip}</span>
      </div>
      {state.words === null ? null : <p class="notice">{state.words}</p>}
      <p class="balance">
        {chain.balanceFormatted === null ? '–' : shortAmount(chain.balanceFormatted)} <small>{chain.currency}</small>
      </p>
      <dl class="facts">
        <Fact name="Enough for" value={chain.claimsRemaining === null ? 'unknown' : walletsOf(chain.claimsRemaining)} />
        <Fact name="Left today" value={walletsOf(chain.claimsLeftToday)} />
        <Fact name="In the queue" value={wholeNumber(chain.queueDepth)} />
        <Fact name="Last claim (UTC)" value={chain.lastClaimAt === null ? 'none yet' : recentTime(chain.lastClaimAt)} />
      </dl>
      <HistoryChart chain={chain} />
      <p class="from">
        Paid from <code>{chain.address}</code>
      </p>
    </article>
  )
}

const Fact: FC<{ name: string; value: string }> = ({ name, value }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

function walletsOf(count: number): string {
  return count === 1 ? '1 wallet' : `${wholeNumber(count)} wallets`
}

const states = {
  ok: { chip: 'Serving', tone: 'ok', words: null },
  dry: {
    chip: 'Empty',
    tone: 'warn',
    words: 'What it holds is given or promised already. New claims are refused until the address below is filled up.',
  },
  paused: {
    chip: 'Paused',
    tone: 'warn',
    words:
      'It has given what it gives in 24 hours. The next grants come free as the first of them grow older than that.',
  },
  'rpc-down': {
    chip: 'Not answering',
    tone: 'bad',
    words: 'The endpoint of this chain does not answer. Claims that were taken in are kept and paid when it does.',
  },
  fees: {
    chip: 'Waiting',
    tone: 'warn',
    words: 'The chain asks more for a transfer than what is given. Claims wait until it asks less.',
  },
  nonce: {
    chip: 'Held up',
    tone: 'bad',
    words: 'The chain has undone blocks with grants in them. They are sent again before new ones.',
  },
  signer: {
    chip: 'Held up',
    tone: 'bad',
    words: 'Grants of another key of the faucet are still out. Claims wait until it is known what became of them.',
  },
  'wrong-chain': {
    chip: 'Held up',
    tone: 'bad',
    words: 'The endpoint speaks for another chain. Claims that were taken in are kept and paid when it does not.',
  },
} as const satisfies Record<string, { chip: string; tone: 'ok' | 'warn' | 'bad'; words: string | null }>

/** Claims of each of the last days as bars; the same as a sentence, and as a table for whoever wants the numbers. */
const HistoryChart: FC<{ chain: FaucetChainReport }> = ({ chain }) => {
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
