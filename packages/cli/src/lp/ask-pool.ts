import { printableText } from '../printable-text.ts'
import { askTools, type ToolAnswer, type Tools } from './ask-tools.ts'
import { namePair, readPoolPlace, type NamedPair, type PoolPlaceFlags } from './pool-place.ts'
import { progressLine } from './progress-line.ts'
import { serverEnvironment } from './server-environment.ts'
import { writeSvgText } from './write-svg.ts'

/**
 * Asks a tool about the pool that the flags name, and prints the answer: whole with `--json`, else as `show` puts it; `--svg` keeps its
 * picture. Resolves to the exit code, 130 when `stopped` came first.
 */
export async function askPool<T extends object>(
  flags: AskPoolFlags,
  { stopped, ask, show }: PoolQuestion<T>,
): Promise<number> {
  const place = readPoolPlace(flags)
  const environment = await serverEnvironment(flags['data-dir'], process.env)
  const onProgress = progressLine(process.stderr)
  const answer = await askTools({ environment, stopped, onProgress }, async (tools) => {
    const answered = await ask(tools, await namePair(tools, place))
    if (flags.svg !== undefined) await writeSvgText(flags.svg, await answered.svg())
    return answered
  })
  if (answer === null) return 130
  process.stdout.write(printableText(flags.json ? `${JSON.stringify(answer.data)}\n` : show(answer.read)))
  return 0
}

export type AskPoolFlags = PoolPlaceFlags & {
  readonly json: boolean
  readonly 'data-dir'?: string
  readonly svg?: string
}

export type PoolQuestion<T> = {
  readonly stopped: Promise<unknown>
  readonly ask: (tools: Tools, pair: NamedPair) => Promise<ToolAnswer<T>>
  readonly show: (read: T) => string
}
