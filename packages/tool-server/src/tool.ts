import * as z from 'zod'
import type { ViewName } from './apps/app-views.ts'
import type { KeyTier, Scope } from '@svc/engine'
import type { Deferred } from '@svc/amm'
import type { Ports } from './ports.ts'
import type { OperationContext, ReadContext, RecordContext, ToolContext, WriteContext } from './tool-context.ts'

/**
 * Defines a tool without side effects. Its context holds no way to a signer. The result of `handler` is typed by
 * `output` and checked against it before it leaves.
 */
export function readTool<const Input extends z.ZodObject, const Output extends z.ZodObject>(
  facts: ReadFacts<Input, Output>,
): { handler(handle: ReadHandler<Input, Output>): Tool } {
  return {
    handler: (handle) =>
      finish(facts, 'read', facts.inDataProfile ?? true, facts.input, facts.output, (input, context) =>
        handle(input as z.output<Input>, context),
      ),
  }
}

/**
 * Defines a tool that moves funds or allowances. Beside its own parameters it takes `dryRun` and `idempotencyKey`; its
 * handler reaches the chain only by `execute`, whose `Deferred` answer it passes through unchanged.
 */
export function writeTool<const Input extends z.ZodObject, const Output extends z.ZodObject>(
  facts: WriteFacts<Input, Output>,
): { handler(handle: WriteHandler<Input, Output>): Tool } {
  const input = facts.input.extend(writeParameters)
  return {
    handler: (handle) =>
      finish(facts, 'write', false, input, facts.output, (parsed, context) => {
        if (!('execute' in context)) throw new TypeError(`${facts.name} was called without execute`)
        return handle(parsed as z.output<Input>, context)
      }),
  }
}

/**
 * Defines a tool that acts on stored writes: carries one out, or cancels it. It needs the rights of the tool whose write
 * that is; its context holds the caller's stored writes and no `execute` of its own. Beside its parameters it takes
 * `idempotencyKey`.
 */
export function operationTool<const Input extends z.ZodObject, const Output extends z.ZodObject>(
  facts: OperationFacts<Input, Output>,
): { handler(handle: OperationHandler<Input, Output>): Tool } {
  const input = facts.input.extend({ idempotencyKey: writeParameters.idempotencyKey })
  return {
    handler: (handle) =>
      finish({ ...facts, scope: 'of-operation' }, 'write', false, input, facts.output, (parsed, context) => {
        if (!('carryOut' in context.operations)) throw new TypeError(`${facts.name} was called without its operations`)
        return handle(parsed as z.output<Input>, { ...context, operations: context.operations })
      }),
  }
}

/**
 * Defines a tool that leaves a record of the caller's and moves nothing: its context holds the caller's memory and watches, and no `execute`. It
 * takes keys of the feedback tier.
 */
export function recordTool<const Input extends z.ZodObject, const Output extends z.ZodObject>(
  facts: RecordFacts<Input, Output>,
): { handler(handle: RecordHandler<Input, Output>): Tool } {
  const own = { ...facts, scope: 'feedback', openWorld: facts.openWorld ?? false } as const
  return {
    handler: (handle) =>
      finish(own, 'record', false, facts.input, facts.output, (parsed, context) => {
        if (!('records' in context)) throw new TypeError(`${facts.name} was called without its records`)
        return handle(parsed as z.output<Input>, context)
      }),
  }
}

/** What every write tool takes beside its own parameters. */
export const writeParameters = {
  dryRun: z.boolean().default(false),
  idempotencyKey: z
    .string()
    .refine((key) => /^[A-Za-z0-9._-]{1,64}$/.test(key), 'Accepted: 1 to 64 of A-Z a-z 0-9 . _ -')
    .optional()
    .describe('Repeats run once'),
}

type Facts<Input, Output> = {
  /** snake_case; the file is its name in kebab-case. */
  readonly name: string
  readonly title: string
  /** What it does, when to use it, what it never does: at most 300 characters. */
  readonly description: string
  readonly scope: Scope
  /** A strict object: unknown members are refused. */
  readonly input: Input
  readonly output: Output
  /** False where it reaches nothing outside of this server; true when left out. */
  readonly openWorld?: false
  /** True where a call may take so long that clients who take tasks get one. */
  readonly runsLong?: boolean
}

export type ReadFacts<Input extends z.ZodObject, Output> = Facts<Input, Output> & {
  /** Tools outside the `data` profile say false. */
  readonly inDataProfile?: boolean
  /** The page that shows its answers, where a client shows such. */
  readonly view?: ViewName | null
  /**
   * Everything that an answer is made of beside its input, where that seldom changes: as long as each is the same (`Object.is`), whoever asks gets
   * the answer of before. It must depend neither on who calls nor on the time.
   */
  readonly restsOn?: (input: z.output<Input>, ports: Ports) => readonly unknown[]
}

export type WriteFacts<Input, Output> = Facts<Input, Output> & {
  /** True when the call can take value out of a position or the wallet. */
  readonly destructive: boolean
  readonly idempotent: boolean
  /** True where a repeat under the same idempotency key goes on with what is missing, and only a success ends the key. */
  readonly goesOn?: true
  /** True where a server without a wallet may come to one by it. */
  readonly makesWallet?: true
}

export type RecordFacts<Input, Output> = Omit<Facts<Input, Output>, 'scope' | 'openWorld'> & {
  /** True where it reads a chain beside its records. */
  readonly openWorld?: true
  /** Whether a repeat leaves nothing new. */
  readonly idempotent: boolean
}

export type OperationFacts<Input, Output> = Omit<WriteFacts<Input, Output>, 'scope' | 'makesWallet'>

/** `of-operation`: that of the tool whose stored write it acts on. */
export type ToolScope = Scope | 'of-operation'

/** A tool as the pipeline of a call sees it. Everything else about it (annotations, tier, profile, docs) derives from this. */
export type Tool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly access: Access
  readonly scope: ToolScope
  /** The lowest tier of keys that may call it. */
  readonly tier: KeyTier
  readonly inDataProfile: boolean
  /** Whether a repeat goes on where an attempt had stopped: its handler asks what was done, and does the rest. */
  readonly goesOn: boolean
  /** Whether it makes the wallet that a server lacks, where its operator allows that. */
  readonly makesWallet: boolean
  /** Whether a call is a task for clients that take such. */
  readonly runsLong: boolean
  readonly view: ViewName | null
  /** Those that MCP takes for granted are left out: an open world, and of what only reads that it destroys nothing and may be repeated. */
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint?: boolean
    readonly idempotentHint?: boolean
    readonly openWorldHint?: false
  }
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  handle(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<unknown>
  /** What its answers rest on, where they are kept. */
  restsOn?(input: Readonly<Record<string, unknown>>, ports: Ports): readonly unknown[]
}

/** What is known of a tool before a call. Its schemas and its handler are read with the first one in the production server (scripts/bundle.mjs). */
export type ToolFacts = Omit<Tool, 'input' | 'output' | 'handle' | 'restsOn'> & { readonly read?: () => Promise<Tool> }

export type Access = 'read' | 'record' | 'write'

type ReadHandler<Input extends z.ZodObject, Output extends z.ZodObject> = (
  input: z.output<Input>,
  context: ReadContext,
) => Promise<z.input<Output>>

type WriteHandler<Input extends z.ZodObject, Output extends z.ZodObject> = (
  input: z.output<Input>,
  context: WriteContext,
) => Promise<z.input<Output> | Deferred>

type RecordHandler<Input extends z.ZodObject, Output extends z.ZodObject> = (
  input: z.output<Input>,
  context: RecordContext,
) => Promise<z.input<Output>>

type OperationHandler<Input extends z.ZodObject, Output extends z.ZodObject> = (
  input: z.output<Input>,
  context: OperationContext,
) => Promise<z.input<Output>>

type AnyFacts<Input extends z.ZodObject, Output> =
  | ReadFacts<Input, Output>
  | WriteFacts<Input, Output>
  | (OperationFacts<Input, Output> & { readonly scope: 'of-operation' })
  | (Omit<RecordFacts<Input, Output>, 'openWorld'> & { readonly scope: 'feedback'; readonly openWorld: boolean })

function finish<Input extends z.ZodObject, Output extends z.ZodObject>(
  facts: AnyFacts<Input, Output>,
  access: Access,
  inDataProfile: boolean,
  input: z.ZodObject,
  output: z.ZodObject,
  handle: Tool['handle'],
): Tool {
  const restsOn = 'restsOn' in facts ? facts.restsOn : undefined
  return Object.freeze({
    name: facts.name,
    title: facts.title,
    description: facts.description,
    access,
    scope: facts.scope,
    tier: tierOf[access],
    inDataProfile,
    goesOn: ('goesOn' in facts ? facts.goesOn : undefined) ?? false,
    makesWallet: ('makesWallet' in facts ? facts.makesWallet : undefined) ?? false,
    runsLong: facts.runsLong ?? false,
    view: ('view' in facts ? facts.view : undefined) ?? null,
    annotations: {
      readOnlyHint: access === 'read',
      ...(access !== 'read' && {
        destructiveHint: 'destructive' in facts && facts.destructive,
        idempotentHint: 'idempotent' in facts ? facts.idempotent : true,
      }),
      ...(facts.openWorld === false && { openWorldHint: false as const }),
    },
    input,
    output,
    handle,
    ...(restsOn !== undefined && {
      restsOn: (parsed: Readonly<Record<string, unknown>>, ports: Ports) => restsOn(parsed as z.output<Input>, ports),
    }),
  })
}

const tierOf: Readonly<Record<Access, KeyTier>> = { read: 'read', record: 'feedback', write: 'write' }
