import { createHash } from 'node:crypto'
import { createRequestStateCodec, type ServerContext } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { type ApprovalAnswer, type ApprovalQuestion, canonical } from '@svc/engine'
import { ToolError } from '@svc/amm'

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
export type SealedCall = { readonly principalId: string; readonly name: string; readonly arguments: unknown }

export type ApprovalStatesOptions = {
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
