import { join } from 'node:path'
import { openStore } from '@svc/store'
import * as shapes from '../shapes.ts'
import type { Attempt } from './attempts.ts'
import type { World } from '../../start-world.ts'
import type { Agent } from '../agent.ts'
import type { Transcript } from '../transcript.ts'

/** A call that waits for a person, and the owner's yes to its plan. Gives what `execute_plan` takes. */
export async function approveAsOwner(
  { world, agent, transcript }: HostileScene,
  asked: Pick<Attempt, 'title' | 'why' | 'tool' | 'input'>,
): Promise<{ readonly planId: string; readonly planHash: string }> {
  transcript.chapter(asked.title, asked.why)
  const { details } = await agent.refused(asked.tool, asked.input, ['APPROVAL_REQUIRED'])
  const { operationId, planHash } = shapes.asked.parse(details[0])
  const path = join(world.settings.environment['SVC_DATA_DIR'] ?? '', 'state.db')
  const store = await openStore({ path, now: Date.now })
  await store.operations.decide(operationId, { approved: true, by: 'operator:demo', planHash })
  await store.close()
  transcript.row('the owner', 'reads the plan and approves it: svc approvals approve')
  return { planId: operationId, planHash }
}

/** Where the story of the hostile agent plays. */
export type HostileScene = {
  readonly world: World
  readonly agent: Agent
  readonly transcript: Transcript
}
