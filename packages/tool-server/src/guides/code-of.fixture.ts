import { type ErrorCode, type ErrorEnvelope, ToolError } from '@svc/amm'

/** The code that a piece of work is refused with; `null` where it is not. */
export function codeOf(work: () => unknown): ErrorCode | null {
  try {
    work()
    return null
  } catch (error) {
    if (error instanceof ToolError) return error.code
    throw error
  }
}

/** What a client hears of a refusal over the protocol; throws where it is none of ours. */
export async function refusalBy(answer: Promise<unknown>): Promise<ErrorEnvelope> {
  const error: unknown = await answer.then(
    (value) => new Error(`Answered: ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof Error) || !('data' in error)) throw error
  const data = error.data as { readonly 'svc/error'?: ErrorEnvelope } | undefined
  if (data?.['svc/error'] === undefined) throw error
  return data['svc/error']
}

/** The same of work that takes its time. */
export async function codeOfWork(work: Promise<unknown>): Promise<ErrorCode | null> {
  return work.then(
    () => null,
    (error: unknown) =>
      codeOf(() => {
        throw error
      }),
  )
}
