import { AsyncLocalStorage } from 'node:async_hooks'
import type { Chain } from '@svc/wallet/core'
import type { RingView } from './endpoint-order.ts'

/**
 * The answers underway, each with what it sees of the chains it reads: one head of each, given by one endpoint, which is asked for the rest. A
 * head holds for ten seconds; what is asked for later rests on a newer one of an endpoint that shows the block before. What belongs to none, and
 * what goes on long after its answer, sees the newest of whichever endpoint answers.
 *
 * @param readHead reads a head, of a chain that goes on from a view where there is one
 * @param now Unix milliseconds
 */
export function createAnswersUnderway<View extends RingView>(
  readHead: (chain: Chain, from: View | null) => Promise<View>,
  now: () => number,
): AnswersUnderway<View> {
  const answers = new AsyncLocalStorage<Answer<View>>()
  let nextId = 0
  const current = () => {
    const answer = answers.getStore()
    if (answer === undefined) return null
    return answer.overAtMs === null || now() - answer.overAtMs < afterwardsMs ? answer : null
  }

  function begin(chains: Answer<View>['chains'], chain: Chain, before: Seen<View> | null): Seen<View> {
    const from = before?.view ?? null
    const seen: Seen<View> = {
      id: nextId++,
      reading: readHead(chain, from),
      view: from,
      askedAtMs: now(),
    }
    chains.set(chain.id, seen)
    seen.reading.then(
      (view) => (seen.view = view),
      () => {
        if (chains.get(chain.id) !== seen) return
        if (before === null) chains.delete(chain.id)
        else chains.set(chain.id, before)
      },
    )
    return seen
  }

  return {
    async run(work) {
      const answer: Answer<View> = { id: nextId++, chains: new Map(), overAtMs: null }
      try {
        return await answers.run(answer, work)
      } finally {
        answer.overAtMs = now()
      }
    },
    head(chain) {
      const answer = current()
      if (answer === null) return readHead(chain, null)
      const known = answer.chains.get(chain.id) ?? null
      const isNew = known !== null && now() - known.askedAtMs < oneBlockMs
      const seen = isNew ? known : begin(answer.chains, chain, known)
      return seen.reading
    },
    view(chain) {
      const answer = current()
      if (answer === null) return null
      const seen = answer.chains.get(chain.id) ?? begin(answer.chains, chain, null)
      return seen.view ?? seen.reading
    },
    seen: (chain) => current()?.chains.get(chain.id)?.view ?? null,
    nameOfView(chain) {
      const answer = current()
      if (answer === null) return 'newest'
      // Asks for no head yet: that travels with the first read.
      const { id, view } = answer.chains.get(chain.id) ?? { id: answer.id, view: null }
      return view === null ? `head ${id}` : `${view.head.hash} of ${view.giver}`
    },
  }
}

export type AnswersUnderway<View> = {
  run<Result>(work: () => Promise<Result>): Promise<Result>
  /** The head of the answer underway. */
  head(chain: Chain): Promise<View>
  /** What the answer underway sees; its head is asked for with its first read. `null` where none is underway. */
  view(chain: Chain): View | Promise<View> | null
  /** The same as far as it is known already: asks for nothing. */
  seen(chain: Chain): View | null
  /** The same for all answers that see the same of a chain. */
  nameOfView(chain: Chain): string
}

type Answer<View> = {
  /** No other answer, nor anything seen, has it. */
  readonly id: number
  readonly chains: Map<number, Seen<View>>
  overAtMs: number | null
}

type Seen<View> = {
  readonly id: number
  readonly reading: Promise<View>
  /** Until the head is read, that of the head before. */
  view: View | null
  readonly askedAtMs: number
}

/** Milliseconds: an endpoint without an archive keeps the state of a block about half a minute where blocks are fastest. */
const oneBlockMs = 10_000
/** Milliseconds: a read that others wait for as well goes on when the one who began it has left. */
const afterwardsMs = 60_000
