// The mutants of source files, as Stryker's instrumenter makes them.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commonTokens } from '@stryker-mutator/api/plugin'
import { createInstrumenter } from '@stryker-mutator/instrumenter'
import { createInjector } from 'typed-inject'

const silent = () => {}
const logger = { isDebugEnabled: () => false, debug: silent, info: silent, warn: console.error, error: console.error }
const options = { plugins: null, excludedMutations: [], ignorers: [] }

/**
 * Reads the files (below `folder`) and gives the text of each with every mutant behind a switch, and the mutants:
 * `{ id, file, line, mutator, start, end, original, replacement }`, `start` and `end` being offsets. Ids are unique over all files.
 */
export async function instrument(folder, files) {
  const instrumenter = createInjector().provideValue(commonTokens.logger, logger).injectFunction(createInstrumenter)
  const sources = await Promise.all(
    files.map(async (name) => ({ name, mutate: true, content: await readFile(join(folder, name), 'utf8') })),
  )
  const texts = new Map(sources.map(({ name, content }) => [name, content]))
  const instrumented = await instrumenter.instrument(sources, options)
  const mutants = instrumented.mutants
    .filter(({ ignoreReason }) => ignoreReason === undefined)
    .map(({ id, fileName, location, mutatorName, replacement }) => {
      const text = texts.get(fileName)
      const [start, end] = [location.start, location.end].map((place) => offsetOf(text, place))
      const original = text.slice(start, end)
      const line = location.start.line + 1
      return { id, file: fileName, line, mutator: mutatorName, start, end, original, replacement }
    })
  return { files: instrumented.files, mutants }
}

function offsetOf(text, { line, column }) {
  let offset = 0
  for (let passed = 0; passed < line; passed += 1) offset = text.indexOf('\n', offset) + 1
  return offset + column
}
