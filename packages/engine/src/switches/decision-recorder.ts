import type { Operation, Operations } from '@svc/store'
import { createMutex } from '@svc/wallet/core'
import * as z from 'zod'
import type { AuditLog } from '../audit/audit.ts'
import { readSwitch, type SwitchPlace, writeSwitch } from './switch-text.ts'

/**
 * Writes the operator's decisions into the audit log: the commands and the page that take them are not its one writer, so
 * they leave them in the operations' rows, also while no server runs. What is recorded stands in
 * `recorded-decisions.json`, by id rather than by time, so that a clock set back hides nothing; a crash between the two
 * repeats a line and loses none. One decision is recorded at a time.
 */
export function createDecisionRecorder(options: DecisionRecorderOptions): DecisionRecorder {
  let recorded: readonly string[] | null = null
  const inTurn = createMutex()

  const recordAll = async (operations: readonly Operation[]): Promise<void> => {
    for (const operation of operations.filter(isOperators)) {
      if (recorded === null || options.sharedSwitches !== undefined) recorded = await readRecorded(options)
      const name = nameOf(operation)
      if (recorded.includes(name)) continue
      await options.audit.append(eventOf(operation))
      const after = [...recorded.slice(-mostRemembered), name]
      await writeSwitch(options, 'decisions', JSON.stringify({ recorded: after }))
      recorded = after
    }
  }
  return Object.freeze({
    record: (operation: Operation) => inTurn(() => recordAll([operation])),
    look: () =>
      inTurn(async () => {
        const found = await options.operations.list({
          principalId: null,
          states: lookedAt,
          decidedByPrefix: operators,
          limit: mostLookedAt,
        })
        await recordAll(found.toReversed())
      }),
  })
}

export type DecisionRecorder = {
  /** Resolves once the decision on this operation, if the operator took it, is in the audit log. */
  record(operation: Operation): Promise<void>
  /** The same for all that were decided and not yet carried out. Rejects when something cannot be read or written. */
  look(): Promise<void>
}

export type DecisionRecorderOptions = SwitchPlace & {
  readonly operations: Pick<Operations, 'list'>
  readonly audit: Pick<AuditLog, 'append'>
}

/** What was carried out was recorded before. */
const lookedAt = ['approved', 'denied', 'scheduled', 'cancelled'] as const
const operators = 'operator:'
/** Far more than are decided between two looks. */
const mostLookedAt = 500
const mostRemembered = 2_000

function isOperators({ decidedBy }: Operation): boolean {
  return decidedBy?.startsWith(operators) === true
}

/** One operation may be approved and then cancelled: two decisions. An id holds no space. */
function nameOf({ id, state }: Operation): string {
  return state === 'cancelled' ? `cancelled ${id}` : id
}

function eventOf(operation: Operation) {
  if (operation.state !== 'cancelled') return decidedEvent(operation)
  const { id, tool, principalId, planHash, decidedBy } = operation
  return {
    event: 'operation.cancelled' as const,
    operationId: id,
    tool,
    actor: { principal: principalId },
    by: decidedBy,
    planHash,
    decidedAt: decidedAtOf(operation),
  }
}

function decidedAtOf({ decidedAt }: Operation): string | null {
  return decidedAt === null ? null : new Date(decidedAt).toISOString()
}

function decidedEvent(operation: Operation) {
  const { id, tool, principalId, planHash, state, decidedBy } = operation
  return {
    event: 'tx.approval.decided' as const,
    operationId: id,
    tool,
    actor: { principal: principalId },
    approved: state !== 'denied',
    by: decidedBy,
    planHash,
    decidedAt: decidedAtOf(operation),
  }
}

async function readRecorded(place: SwitchPlace): Promise<readonly string[]> {
  const text = await readSwitch(place, 'decisions')
  return text === null ? [] : schema.parse(JSON.parse(text)).recorded
}

const schema = z.object({ recorded: z.array(z.string()) })
