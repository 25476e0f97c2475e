import { ToolError } from './tool-error.ts'

/** The outcome of `work`, or `CANCELLED` as soon as the caller leaves; what `work` still does is dropped. */
export async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  if (signal.aborted) {
    work.catch(() => {})
    throw cancelled()
  }
  let leave: (() => void) | undefined
  const left = new Promise<never>((_resolve, reject) => {
    leave = () => reject(cancelled())
    signal.addEventListener('abort', leave, { once: true })
  })
  try {
    return await Promise.race([work, left])
  } finally {
    if (leave !== undefined) signal.removeEventListener('abort', leave)
  }
}

function cancelled(): ToolError {
  return new ToolError('CANCELLED', 'The caller left before the answer was ready.')
}
