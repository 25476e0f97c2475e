import type { Operation } from '@svc/store'
import type { Principal } from '@svc/engine'
import type { Log } from '@svc/runtime'
import { createChartStore, type ChartStore, type ReadPicture } from '../charts/chart-store.ts'
import { handleCall, runHandler } from '../pipeline.ts'
import type { CallContext, CallRequest, DispatchOptions } from './call-stages.ts'
import { type CallResult, internalError, readPicture } from './call-result.ts'
import { type CallTasks, createCallTasks } from './call-tasks.ts'
import { type Answered, carryOutDue, type CarriedOut, type CarryOutDeps, type WritePipeline } from './carry-out.ts'
import { type ToolCall, createKeptAnswers } from './handle.ts'
import type { Tool } from '../tool.ts'
import { type ToolList, createOfferedTools, type OfferedTools, type ShownWithTools } from './offered-tools.ts'
import { createOnce } from './once.ts'
import type { Guides } from '../guides/create-guides.ts'
import { createWatchResources, type WatchResources } from '../watches/watch-resources.ts'

/** Builds the pipeline once; schemas and lists are made once as well, with the first list that is asked for. */
export function createDispatch(options: DispatchOptions): Dispatch {
  const tools =
    options.offered ?? createOfferedTools(options.tools, options.profile, options.toolsElsewhere, options.toolsets)
  const once = options.write === null ? null : openOnce(options.write, options.log)
  const pictures = options.pictures ?? openPictures(options)
  const context: CallContext = {
    options,
    tools,
    once,
    deps: depsOf(options, tools),
    pictures,
    kept: createKeptAnswers(options.ports, options.now),
  }
  const { observe } = options
  const call =
    observe === undefined
      ? (request: CallRequest) => handleCall(request, context)
      : (request: CallRequest) => observe(request, () => handleCall(request, context))
  let guides: Promise<Guides> | undefined
  const { tasks: store, isInForce, now, log } = options
  const { deps } = context
  const mayKeep = () => options.write?.role?.().role !== 'follower'
  const requireLead = async () => options.write?.requireLeader?.()
  const tasking = { tools, call, deps, isInForce, mayKeep, requireLead, now, log }
  const tasks = store === undefined ? null : createCallTasks({ ...tasking, store })
  return Object.freeze({
    tasks,
    list: (principal: Principal, shown?: ShownWithTools) => tools.list(principal, shown),
    has: (name: string) => tools.has(name),
    missingScope: (principal: Principal, name: string) => tools.missingScope(principal, name),
    pictures: {
      list: (principalId: string) => pictures.list(principalId),
      read: (principalId: string, uri: string, signal: AbortSignal) =>
        readPicture({ principalId, uri, signal }, { ...options, pictures }),
    },
    watches: createWatchResources({
      watches: options.write?.watches ?? null,
      // Whoever may list its watches may read them.
      isOpenTo: (principal) => tools.isOpenTo(principal, 'list_watches'),
    }),
    asksClient: (name: string) => {
      const { write } = options
      return write !== null && write.operations.asksClient() && tools.get(name)?.access === 'write'
    },
    guides: () => (guides ??= openGuides(context, call)),
    call,
    handle: (tool: Tool, toolCall: ToolCall) => runHandler(tool, toolCall, { options, deps }),
    carryOutDue: (operation: Operation) => whenDue(operation, context),
  })
}

/** Their code is read here: no start and no call of a tool needs it. */
async function openGuides({ options, tools }: CallContext, call: Dispatch['call']): Promise<Guides> {
  const { createGuides } = await import('../guides/create-guides.ts')
  const { ports, write, log, now, newRequestId } = options
  return createGuides({
    tools,
    chains: ports.chains,
    call,
    latestAudit: write?.latestAudit ?? null,
    log,
    now,
    newRequestId,
  })
}

function openPictures({ newRequestId: newId, now, ports: { workers } }: DispatchOptions): ChartStore {
  return createChartStore({
    newId,
    now,
    draw: (request, principalId) => workers.run('draw', request, { principalId }),
  })
}

function openOnce(write: WritePipeline, log: Log): ReturnType<typeof createOnce> {
  return createOnce({
    store: write.idempotency,
    hasSigned: (requestId) => write.hasSigned(requestId),
    doubt: write.doubt,
    sentBy: write.sentBy,
    requestOf: write.requestOf,
    onUnrecorded: (error, requestId) => log.error('idempotency.unrecorded', { requestId, error }),
  })
}

/** What every transport calls, whose pipeline is `handleCall`. Knows nothing of protocols. */
export type Dispatch = {
  /** What a principal may call, as `tools/list` shows it; with the views of answers where the client shows such. */
  list(principal: Principal, shown?: ShownWithTools): ToolList
  has(name: string): boolean
  missingScope: OfferedTools['missingScope']
  /** What was drawn of answers, each for the principal that was given it. */
  readonly pictures: Pick<ChartStore, 'list'> & {
    /** Rejects with a `ToolError`; `CANCELLED` as soon as the caller leaves. */
    read(principalId: string, uri: string, signal: AbortSignal): Promise<ReadPicture | null>
  }
  /** What principals watch. */
  readonly watches: WatchResources
  /** Calls that are answered later; `null` where nothing keeps them. */
  readonly tasks: CallTasks | null
  /** Prompts, the server's own resources, and what completes their arguments. */
  guides(): Promise<Guides>
  /** Whether a person at the client may be asked in the middle of a call of this tool. */
  asksClient(name: string): boolean
  /** Answers one call. Never rejects: a failure is a result with `isError`. */
  call(request: CallRequest): Promise<CallResult>
  /** Runs the handler of a tool for a call that another dispatch let through. */
  handle(tool: Tool, call: ToolCall): Promise<Answered>
  /**
   * Carries out a stored write whose time has come, under the rights of who asked for it. Rejects when it could not be
   * taken, which changes nothing about it.
   */
  carryOutDue(operation: Operation): Promise<CarriedOut>
}

function depsOf(options: DispatchOptions, tools: OfferedTools): CarryOutDeps | null {
  if (options.write === null) return null
  const deps: CarryOutDeps = {
    operations: options.write.operations,
    term: options.write.term,
    isInForce: options.isInForce,
    tool: (name) => tools.require(name),
    handle: (tool, call) => runHandler(tool, call, { options, deps }),
  }
  return deps
}

async function whenDue(operation: Operation, { options, deps }: CallContext): Promise<CarriedOut> {
  if (deps === null || options.write === null) throw internalError(operation.id)
  const caller = { requestId: options.newRequestId(), signal: new AbortController().signal }
  return options.write.during(() => carryOutDue(operation, caller, deps))
}
