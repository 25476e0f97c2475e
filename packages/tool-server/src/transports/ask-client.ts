import { inputRequired, type Server, type ServerContext, createRequestStateCodec } from '@modelcontextprotocol/server'
import type { CallRequest } from '../dispatch/call-stages.ts'
import type { Confirm } from '../dispatch/ask-approval.ts'
import type { Dispatch } from '../dispatch/dispatch.ts'
import { errorResult } from '../dispatch/call-result.ts'
import { type ApprovalQuestion, type ApprovalAnswer, canonical, approvalMessage, type ApprovalReply } from '@svc/engine'
import { ToolError } from '@svc/amm'
import { capabilitiesOfEnvelope, takesForms } from './protocol-facts.ts'
import { createHash } from 'node:crypto'
import * as z from 'zod'
import { isRecord } from '@svc/runtime'

/**
 * Carries a call of a session out; where a write waits for a person and the client shows forms, the form goes out on the
 * call's own stream and the call waits for it, other calls of the session going on. It waits at most until the operation
 * expires, the caller leaves or the server closes; then the operation stays as it is.
 */
export function callInSession(request: CallRequest, asking: Asking & { readonly server: Server }) {
  const { dispatch, context, server, now, closing } = asking
  // The accessor is set to give way to the envelope of 2026-07-28, which a session does not have.
  if (!takesForms(server.getClientCapabilities())) return dispatch.call(request)
  const confirm: Confirm = async (question, term) => {
    const timeout = leftToAnswer(question, now())
    if (timeout <= 0) return 'cancelled'
    const signal = AbortSignal.any([request.signal, closing, ...(term === null ? [] : [term])])
    // Without this, it would go out on a stream that the client may never have opened, and be lost there.
    const relatedRequestId = context.mcpReq.id
    return readReply(
      await context.mcpReq.elicitInput(approvalForm(question, now()), { timeout, signal, relatedRequestId }),
    )
  }
  return dispatch.call({ ...request, confirm })
}

/**
 * Carries a call of revision 2026-07-28 out. There the question is a result: the client asks its person and calls again
 * with the answer and the sealed state of the question, which must be of this very call.
 */
export async function callAlone(request: CallRequest, asking: AskingAlone) {
  const { dispatch, context, states, now } = asking
  const call = { principalId: request.principal.id, name: request.name, arguments: request.arguments }
  const sealed = context.mcpReq.requestState()
  if (sealed !== undefined) return callAgain(request, call, sealed, asking)
  if (!takesForms(capabilitiesOfEnvelope(context.mcpReq.envelope))) return dispatch.call(request)
  const asked: ApprovalQuestion[] = []
  const confirm = async (question: ApprovalQuestion) => (asked.push(question), 'cancelled' as const)
  const result = await dispatch.call({ ...request, confirm })
  const [question] = asked
  if (question === undefined || result.isError !== true) return result
  return inputRequired({
    inputRequests: { [formName]: inputRequired.elicit(approvalForm(question, now())) },
    requestState: await states.seal(question, call),
  })
}

export type AskingAlone = Asking & { readonly states: ApprovalStates }

export type Asking = {
  readonly dispatch: Dispatch
  readonly context: ServerContext
  /** Unix milliseconds. */
  readonly now: () => number
  /** Aborted when the server begins to close. */
  readonly closing: AbortSignal
}

async function callAgain(
  request: CallRequest,
  call: SealedCall,
  sealed: unknown,
  { dispatch, context, states }: AskingAlone,
) {
  try {
    const { operationId, planHash } = await states.open(sealed, call, context)
    const reply = readReply(context.mcpReq.inputResponses?.[formName])
    if (reply === 'cancelled') throw unanswered(operationId, planHash)
    return await dispatch.call({ ...request, answer: { operationId, planHash, accepted: reply === 'accepted' } })
  } catch (error) {
    if (error instanceof ToolError) return errorResult(error)
    throw error
  }
}

function unanswered(operationId: string, planHash: string): ToolError {
  return new ToolError('APPROVAL_REQUIRED', 'Nobody answered. The operation goes on waiting for a decision.', {
    details: [{ message: 'What waits.', operationId, planHash }],
  })
}

/** How long a question may wait for its answer, in milliseconds; zero or less when it is too late for one. */
export function leftToAnswer({ expiresAt }: Pick<ApprovalQuestion, 'expiresAt'>, now: number): number {
  return expiresAt === null ? longestMs : Math.min(longestMs, expiresAt - now)
}

const formName = 'approval'
/** As long as the policy lets a request wait at most. */
const longestMs = 86_400_000

/**
 * Seals what a client of revision 2026-07-28 carries from a question to the call that answers it: who was asked about
 * which call, which operation and which plan. Signed, not secret. A sealed text is worth one decision, since the operation
 * takes one; it ends with the operation. `key` has at least 32 bytes; with another key, as after a restart, texts from
 * before are refused and their operations go on waiting.
 */
export function createApprovalStates({ key, now }: ApprovalStatesOptions): ApprovalStates {
  const codec = (ttlSeconds: number) => createRequestStateCodec({ key, ttlSeconds })
  const reading = codec(longestSeconds)
  return Object.freeze({
    seal({ operationId, planHash, expiresAt }: ApprovalQuestion, call: SealedCall) {
      const left = expiresAt === null ? longestSeconds : Math.ceil((expiresAt - now()) / 1_000)
      const ttlSeconds = Math.min(longestSeconds, Math.max(1, left))
      return codec(ttlSeconds).mint({ operationId, planHash, call: digestOf(call) })
    },
    async open(sealed: unknown, call: SealedCall, context: ServerContext) {
      const state = stateSchema.safeParse(
        typeof sealed === 'string' ? await reading.verify(sealed, context).catch(() => null) : null,
      )
      if (!state.success || state.data.call !== digestOf(call)) throw invalid()
      const { operationId, planHash } = state.data
      return { operationId, planHash }
    },
  })
}

export type ApprovalStates = {
  seal(question: ApprovalQuestion, call: SealedCall): Promise<string>
  /** Throws `APPROVAL_STATE_INVALID` for a text that is not ours, has expired, or belongs to another caller or call. */
  open(sealed: unknown, call: SealedCall, context: ServerContext): Promise<Omit<ApprovalAnswer, 'accepted'>>
}

/** The call a question was about, as the caller sent it. */
type SealedCall = { readonly principalId: string; readonly name: string; readonly arguments: unknown }

type ApprovalStatesOptions = {
  readonly key: Uint8Array
  /** Unix milliseconds. */
  readonly now: () => number
}

/** As long as the policy lets a request wait at most. */
const longestSeconds = 86_400

const stateSchema = z.strictObject({ operationId: z.string(), planHash: z.string(), call: z.string() })

function digestOf({ principalId, name, arguments: input }: SealedCall): string {
  const text = JSON.stringify(canonical([principalId, name, input ?? {}]))
  return createHash('sha256').update(text).digest('base64url')
}

function invalid(): ToolError {
  return new ToolError('APPROVAL_STATE_INVALID', 'The requestState is not valid for this call. Nothing was decided.')
}

/** The form a person fills in: what would happen, in our own words, and one box that is not ticked. */
export function approvalForm(question: ApprovalQuestion, now: number) {
  return {
    mode: 'form' as const,
    message: approvalMessage(question, now),
    requestedSchema: {
      type: 'object' as const,
      properties: {
        approve: {
          type: 'boolean' as const,
          title: 'Approve exactly this',
          description: 'Yes carries it out now. No denies it. Closing this leaves the decision to the operator.',
        },
      },
      required: ['approve'],
    },
  }
}

/**
 * What a person answered. Only a form sent off with the box ticked is a yes; sent off without, or declined, it is a no.
 * Anything else, malformed answers among it, is no answer.
 */
export function readReply(answer: unknown): ApprovalReply {
  if (!isRecord(answer)) return 'cancelled'
  if (answer['action'] === 'decline') return 'declined'
  if (answer['action'] !== 'accept' || !isRecord(answer['content'])) return 'cancelled'
  const { approve } = answer['content']
  if (typeof approve !== 'boolean') return 'cancelled'
  return approve ? 'accepted' : 'declined'
}
