import type { Claim, ClaimCap, Claims, ClaimScopes, ClaimVerdict, NewClaim } from '@svc/store'

/**
 * Takes claims in together, and looks for them together: those that arrive while one commit or look is on its way share
 * the next one. It costs what it costs however many claims are in it, and none of them is notified of a commit before it is
 * durable. Rejects with what the store rejects with; then none of that commit's claims is known to be made.
 */
export function createClaimDesk(
  claims: Pick<Claims, 'make' | 'findAll'>,
  caps: readonly ClaimCap[],
  now: () => number = () => performance.now(),
): ClaimDesk {
  const fullCaps = createFullCaps(now)
  const make = together((requests: readonly NewClaim[]) => claims.make(requests, caps))
  return {
    async make(request) {
      const verdict = await make(request)
      if (verdict.status === 'capped') fullCaps.note(request, verdict)
      return verdict
    },
    full: (of) => fullCaps.find(of),
    find: together((slots) => claims.findAll(slots)),
  }
}

export type ClaimDesk = {
  make(request: NewClaim): Promise<ClaimVerdict>
  /** The cap above this claim that an earlier commit found full and that still is; it asks nobody. */
  full(of: ClaimScopes): ReturnType<FullCaps['find']>
  find(slot: Pick<Claim, 'chainId' | 'address'>): Promise<Claim | null>
}

/** Runs one batch at a time. `work` gives an answer for each question, in their order. */
function together<Question, Answer>(
  work: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): (question: Question) => Promise<Answer> {
  let waiting: Waiting<Question, Answer>[] = []
  let isAtWork = false
  const run = async (): Promise<void> => {
    isAtWork = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, mostAtOnce)
      waiting = waiting.slice(mostAtOnce)
      try {
        const answers = await work(batch.map(({ question }) => question))
        if (answers.length !== batch.length) throw new TypeError('The store did not answer every question.')
        answers.forEach((answer, index) => batch[index]?.resolve(answer))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isAtWork = false
  }
  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject })
      if (!isAtWork) void run()
    })
}

type Waiting<Question, Answer> = {
  readonly question: Question
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

const mostAtOnce = 200

/**
 * Remembers which caps a commit found full, and until when: who comes under one meanwhile can be refused without a
 * question to the chain. A cap stays full until the time it names, so nobody is refused who would get something. Of too
 * many the oldest is forgotten.
 */
function createFullCaps(now: () => number): FullCaps {
  const until = new Map<string, number>()
  return {
    note(of, { scope, retryAfterMs }) {
      const key = keyOf(scope, of)
      until.delete(key)
      until.set(key, now() + retryAfterMs)
      if (until.size > mostRemembered) until.delete(until.keys().next().value ?? key)
    },
    find(of) {
      for (const scope of scopes) {
        const retryAfterMs = (until.get(keyOf(scope, of)) ?? 0) - now()
        if (retryAfterMs > 0) return { status: 'capped', scope, retryAfterMs }
      }
      return null
    },
  }
}

type FullCaps = {
  note(of: ClaimScopes, verdict: Capped): void
  find(of: ClaimScopes): Capped | null
}

type Capped = Extract<ClaimVerdict, { status: 'capped' }>

function keyOf(scope: Capped['scope'], { appId, network, chainId }: ClaimScopes): string {
  return `${scope} ${{ app: appId, network, chain: chainId }[scope]}`
}

const scopes = ['app', 'network', 'chain'] as const
const mostRemembered = 10_000
