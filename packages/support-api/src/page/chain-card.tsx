import type { FC } from 'hono/jsx'
import type { FaucetChainReport } from '../faucet/report-faucet.ts'
import { HistoryChart } from './history-chart.tsx'
import { chainTitle, recentTime, shortAmount, wholeNumber } from './words.ts'

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
