import * as z from 'zod'
import { operationTool, readTool, writeTool } from '../tool.ts'
import type { ReadContext, WriteContext } from '../tool-context.ts'

const facts = {
  name: 'probe',
  title: 'Probe',
  description: 'Never listed.',
  scope: 'read:market',
  input: z.strictObject({ count: z.number() }),
  output: z.object({ done: z.boolean() }),
} as const

readTool(facts).handler(async (_input, context) => {
  // @ts-expect-error a read tool has no way to a signer
  void context.execute
  // @ts-expect-error nor the wallet
  void context.wallet
  // @ts-expect-error it sees what waits and carries nothing out
  void context.operations.carryOut
  return { done: true }
})

const { scope: _scope, ...unscoped } = facts

operationTool({ ...unscoped, destructive: true, idempotent: false }).handler(async (_input, context) => {
  void context.operations.carryOut
  // @ts-expect-error a tool that acts on stored writes makes none of its own
  void context.execute
  return { done: true }
})

writeTool({ ...facts, destructive: true, idempotent: false }).handler(async (_input, context) => {
  void context.execute
  void context.wallet
  return { done: true }
})

// @ts-expect-error a result follows the output schema
readTool(facts).handler(async () => ({ done: 'yes' }))

// @ts-expect-error a read tool does not say whether it is destructive
readTool({ ...facts, destructive: false })

readTool(facts).handler(async (input) => {
  // @ts-expect-error inputs are typed by the input schema
  void input.amount
  return { done: input.count > 0 }
})

export type WriteIsMore = WriteContext extends ReadContext ? true : never
// @ts-expect-error a read context is no write context
export type ReadIsLess = Satisfies<WriteContext, ReadContext>
type Satisfies<Wanted, Given extends Wanted> = Given
