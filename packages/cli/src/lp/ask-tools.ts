import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { fileURLToPath } from 'node:url'
import type * as z from 'zod'
import { toolRefusal, refusalForm } from './tool-refusal.ts'

/**
 * Starts the tool server as a process of its own, with the reads alone, asks it, and ends it whatever comes out. Resolves to `null`
 * when it was `stopped` first: a call on its way is cancelled then. Throws what the server cannot start for, and what a tool refuses.
 */
export async function askTools<T>(options: AskOptions, ask: (tools: Tools) => Promise<T>): Promise<T | null> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'serve', '--transport', 'stdio'],
    env: { ...options.environment, SVC_MCP_PROFILE: 'data' },
    stderr: 'pipe',
  })
  const said = listenTo(transport)
  const client = new Client({ name: 'svc-lp', version: '1.0.0' })
  const caller = new AbortController()
  const stopped = options.stopped.then(() => {
    caller.abort()
    return null
  })
  const answered = client
    .connect(transport)
    .catch((cause: unknown) => {
      throw new Error(said.untilOpen() || 'the tool server did not start', { cause })
    })
    .then(() => {
      said.isOpen = true
      return ask(toolsOf(client, caller.signal, options.onProgress))
    })
    // Ctrl-C reaches the server as well, and a call it ends with is no failure of ours.
    .catch((error: unknown) => (caller.signal.aborted ? null : Promise.reject(error)))
  try {
    return await Promise.race([answered, stopped])
  } finally {
    await client.close()
  }
}

export type AskOptions = {
  /** Of the server. */
  readonly environment: Readonly<Record<string, string>>
  readonly stopped: Promise<unknown>
  readonly onProgress: (done: number, all: number) => void
}

export type Tools = {
  /** Calls a tool; throws `UsageError` for words it does not take, and Error for what else it refuses. */
  call<T>(name: string, input: Record<string, unknown>, form: z.ZodType<T>): Promise<ToolAnswer<T>>
}

export type ToolAnswer<T> = {
  /** As the tool gave it. */
  readonly data: unknown
  /** What of it is looked at here. */
  readonly read: T
  /** The picture of the answer. Throws where there is none. */
  svg(): Promise<string>
}

const program = fileURLToPath(new URL('../../bin/svc.js', import.meta.url))

/** As long as anybody waits; a server that tells of progress has as long again. */
const patienceMs = 600_000

function toolsOf(client: Client, signal: AbortSignal, onProgress: AskOptions['onProgress']): Tools {
  return {
    async call(name, input, form) {
      const onprogress = ({ progress, total }: { progress: number; total?: number | undefined }) =>
        onProgress(progress, total ?? progress)
      const answer = await client.callTool(
        { name, arguments: input },
        { signal, timeout: patienceMs, resetTimeoutOnProgress: true, onprogress },
      )
      if (answer.isError === true) throw toolRefusal(refusalForm.parse(answer['_meta'])['svc/error'])
      const drawn = answer.content.find((part) => part.type === 'resource_link' && part.mimeType === 'image/svg+xml')
      return {
        data: answer.structuredContent,
        read: form.parse(answer.structuredContent),
        async svg() {
          if (drawn?.type !== 'resource_link') throw new Error(`${name} gave no picture`)
          const [content] = (await client.readResource({ uri: drawn.uri }, { signal })).contents
          if (content === undefined || !('text' in content)) throw new Error(`the picture of ${name} is no text`)
          return content.text
        },
      }
    },
  }
}

/** What a server says while it starts is why it does not; later it is for whoever reads our stderr. */
function listenTo(transport: StdioClientTransport) {
  let text = ''
  const said = { isOpen: false, untilOpen: () => text.trim().replace(/^svc serve: /, '') }
  transport.stderr?.on('data', (chunk: Buffer) => {
    if (said.isOpen) process.stderr.write(chunk)
    else text = (text + chunk.toString('utf8')).slice(-8_192)
  })
  return said
}
