import { operationText, type OperationDescription } from '@svc/engine/approvals'
import { outcome } from '@svc/tool-server/operator-page'
import type { StopCause } from '@svc/tool-server/until-stopped'
import { saysYes, type Terminal } from '../ask-on-terminal.ts'
import { operatorName } from '../own-data-directory.ts'
import { UsageError } from '../usage-error.ts'
import { findOperation, openOperations, readIdAndFlags } from './open-operations.ts'

/**
 * `svc approvals approve ID` and `deny ID`. Approving shows what would happen and asks for a yes on the terminal; a script
 * says `--yes` and names the plan it means by its hash. The word holds for exactly the plan that was shown: when it changed
 * meanwhile, or was decided, cancelled or expired, the store refuses it.
 */
export async function decide(
  word: 'approve' | 'deny',
  argv: readonly string[],
  stopped: Promise<StopCause>,
  terminal: Terminal = { input: process.stdin, output: process.stdout },
): Promise<number> {
  const { id, flags } = readIdAndFlags(word, argv, {
    values: ['data-dir', 'plan-hash'],
    switches: ['yes', 'json'],
  })
  const named = readPlanHash(flags['plan-hash'])
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    const { description } = await findOperation(open, id)
    requireUndecided(word, description)
    if (word === 'approve') requireDeps(flags.yes, named, terminal)
    if (word === 'approve' && !flags.yes && !(await isApproved(description, terminal, stopped))) {
      process.stderr.write('Nothing was decided: only the word yes, written out, approves.\n')
      return 1
    }
    const decided = await open.operations.decide(id, {
      approved: word === 'approve',
      by: operatorName(),
      planHash: named ?? description.planHash,
    })
    process.stdout.write(flags.json ? `${JSON.stringify({ id, state: decided.state })}\n` : `${outcome(decided)}\n`)
    return 0
  } finally {
    await open.close()
  }
}

/** What is decided or over asks for no word, whoever is there to give one. The store refuses it, too, whatever comes in between. */
function requireUndecided(word: 'approve' | 'deny', { state }: OperationDescription): void {
  if (state === 'awaiting_approval') return
  const isApproved = state === 'approved' || state === 'scheduled'
  if (!isApproved) throw new Error(`It is ${state} already; only what awaits approval can be decided.`)
  const back = 'svc approvals cancel takes it back until it runs.'
  throw new Error(`It was approved already; ${word === 'deny' ? back : `nothing more is asked. ${back}`}`)
}

function readPlanHash(text: string | undefined): string | undefined {
  if (text === undefined || /^0x[0-9a-f]{64}$/.test(text)) return text
  throw new UsageError(
    '--plan-hash takes the plan hash that svc approvals show prints: 0x and 64 lower-case hex digits',
  )
}

/** A yes is worth something only when it is clear to what. */
function requireDeps(yes: boolean, planHash: string | undefined, { input }: Terminal): void {
  if (yes && planHash === undefined) {
    throw new UsageError('--yes needs --plan-hash: name the plan you approve, as svc approvals show prints it')
  }
  if (!yes && input.isTTY !== true) {
    throw new UsageError('There is no terminal to ask on. A script approves with --yes --plan-hash HASH.')
  }
}

async function isApproved(
  description: OperationDescription,
  terminal: Terminal,
  stopped: Promise<StopCause>,
): Promise<boolean> {
  terminal.output.write(`${operationText(description, Date.now())}\n\n`)
  return saysYes('Approve exactly this?', terminal, stopped)
}

/**
 * `svc approvals cancel ID`: takes back what waits, is approved or is scheduled, beside the running server. The store
 * decides between this and the server that is about to carry it out: one of the two comes first, and what runs already is
 * refused here.
 */
export async function cancel(argv: readonly string[]): Promise<number> {
  const { id, flags } = readIdAndFlags('cancel', argv, { values: ['data-dir'], switches: ['json'] })
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    const { state } = await open.operations.cancel(id, operatorName())
    process.stdout.write(flags.json ? `${JSON.stringify({ id, state })}\n` : 'Cancelled. It is not carried out.\n')
    return 0
  } finally {
    await open.close()
  }
}
