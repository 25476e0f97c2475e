// A process that runs files of tests of the copy it is started in, as often as it is asked to: what was compiled once is kept.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = process.cwd()
let mutant

const { createVitest } = await import(installed('vitest/package.json', 'dist/node.js'))
const vitest = await createVitest('test', {
  root,
  config: 'integration/mutation/vitest.config.ts',
  project: ['unit', 'chain'],
  watch: false,
  reporters: [{ onTestCaseResult: noteTest, onTestModuleEnd: (module) => send(module, module.state()) }],
})
// It looks for the files of tests once.
await vitest.globTestSpecifications()

// Asked for: `{ tests, mutant, coverage }`. Answers a line for each file, then `{ ended, faults }`.
process.on('message', (asked) => void run(asked))
process.on('disconnect', () => process.exit())
process.send({ ready: true })

async function run(asked) {
  mutant = asked.mutant
  setVariable('__STRYKER_ACTIVE_MUTANT__', asked.mutant)
  setVariable('SVC_MUTATION_COVERAGE', asked.coverage)
  const files = asked.tests.flatMap((test) => vitest.getModuleSpecifications(join(root, test)))
  const { unhandledErrors } = await vitest.runTestSpecifications(files)
  process.send({ ended: true, faults: unhandledErrors.map((error) => String(error?.message ?? error)) })
}

/** A mutant is noticed by the first test that fails; what is left of the run is given up. */
function noteTest(test) {
  if (mutant === undefined || test.result().state !== 'failed') return
  send(test.module, 'failed')
  void vitest.cancelCurrentRun('test-failure')
}

function send(module, state) {
  const { collectDuration, duration } = module.diagnostic()
  process.send({ file: module.relativeModuleId, state, durationMs: Math.round(collectDuration + duration) })
}

function setVariable(name, value) {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}

function installed(name, path) {
  return join(dirname(createRequire(join(root, 'package.json')).resolve(name)), path)
}
