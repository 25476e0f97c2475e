import type { Principal } from '@svc/engine'
import type { StoredWatch } from '@svc/store'
import * as z from 'zod'
import { watchConditions, watchState, type Watched } from './conditions.ts'
import { seesLimits, watchUri } from './watch-event.ts'

/**
 * A watch as a caller sees it; none where what is stored is not one of ours. What is used of the limits is shown to those alone who may ask for
 * it, whatever another credential of the same caller once asked to have watched.
 */
export function shownWatch(watch: StoredWatch, caller: Pick<Principal, 'scopes'>): readonly ShownWatch[] {
  const read = readWatched(watch)
  if (read === null) return []
  const { conditions, state } = read
  const { at, ...figures } = state.measured ?? { at: null }
  const isShown = seesLimits(caller)
  return [
    {
      watchId: watch.id,
      uri: watchUri(watch.id),
      chainId: watch.chainId,
      version: watch.version,
      positionId: watch.positionId,
      conditions,
      state: watch.endedAt === null ? 'watching' : 'ended',
      holds: Object.entries(state.armed).flatMap(([kind, isArmed]) =>
        isArmed || (kind === 'limit' && !isShown) ? [] : [kind],
      ),
      measured:
        at === null
          ? null
          : { at: new Date(at * 1000).toISOString(), ...(figures as Figures), ...(!isShown && { limitPct: null }) },
      createdAt: new Date(watch.createdAt).toISOString(),
    },
  ]
}

/** Conditions and state of a stored watch; `null` where they are not ours. */
export function readWatched({ conditions, state }: Pick<StoredWatch, 'conditions' | 'state'>): Watched | null {
  try {
    return { conditions: watchConditions.parse(JSON.parse(conditions)), state: watchState.parse(JSON.parse(state)) }
  } catch {
    return null
  }
}

const percent = z.number().nullable()

export const watchResult = {
  watchId: z.string(),
  uri: z.string(),
  chainId: z.int(),
  version: z.string(),
  positionId: z.string(),
  conditions: z.object({
    outOfRange: z.boolean(),
    ilPct: percent,
    feeDropPct: percent,
    feesWaitingPct: percent,
    limitPct: percent,
    paysWithinDays: z.number(),
  }),
  state: z.enum(['watching', 'ended']),
  holds: z.array(z.string()).describe('Found, and not ceased since'),
  measured: z
    .object({
      at: z.string(),
      inRange: z.boolean(),
      ilPct: percent,
      feeDropPct: percent,
      feesWaitingPct: percent,
      limitPct: percent,
    })
    .nullable()
    .describe('At most an hour old'),
  createdAt: z.string(),
}

type Figures = Omit<NonNullable<ShownWatch['measured']>, 'at'>

export type ShownWatch = Readonly<z.output<z.ZodObject<typeof watchResult>>>
