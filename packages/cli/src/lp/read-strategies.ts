import type { BacktestStrategy } from '@svc/lp-math'
import { strategiesOf, ToolError, usualStrategies } from '@svc/tool-server/analysis'
import { readInputText } from '../read-input-text.ts'
import { UsageError } from '../usage-error.ts'

/**
 * The strategies of `--strategies`: a JSON list, or the name of a file that holds one; without the flag the four that the tools have.
 * Throws `UsageError` with the path of each fault, such as `strategies[1].rangePct`.
 */
export async function readStrategies(text: string | undefined): Promise<readonly BacktestStrategy[]> {
  if (text === undefined) return usualStrategies
  const written = text.trimStart().startsWith('[') ? text : await readInputText(text, 'a file of strategies', 1 << 20)
  try {
    return strategiesOf(written)
  } catch (error) {
    throw error instanceof ToolError ? new UsageError(`--strategies: ${error.message}`) : error
  }
}
