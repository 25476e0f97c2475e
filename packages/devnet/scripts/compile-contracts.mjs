// Compiles contracts/*.sol of this package, which are deployed, of the engine, whose code only stands in state
// overrides, and of amm, whose code only runs within a call, and writes each into its contracts.gen.ts. The engine also gets what a wallet may delegate to, whose code it
// compares and whose deployment it describes. With --check it writes nothing and fails when a committed file
// does not match its sources; with --check-stamp it does so without compiling, by the stamp of what was compiled to what.
// This program is part of the stamp: after a change to it, formatting included, it has to run.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'

const outputs = [
  { sources: solidityIn('../contracts/'), target: '../src/contracts.gen.ts', codesOf: () => ['bytecode'] },
  {
    sources: [...solidityIn('../../engine/contracts/'), '../contracts/BatchDelegate.sol'],
    target: '../../engine/src/calldata/contracts.gen.ts',
    codesOf: (name) => (name === 'BatchDelegate' ? ['bytecode', 'runtime'] : ['runtime']),
  },
  {
    sources: solidityIn('../../amm/contracts/'),
    target: '../../amm/src/rpc/contracts.gen.ts',
    codesOf: () => ['bytecode'],
  },
]

const [flag] = process.argv.slice(2)

for (const { sources, target, codesOf } of outputs) {
  const path = new URL(target, import.meta.url)
  const written = flag === undefined ? null : readFileSync(path, 'utf8')
  const body = flag === '--check-stamp' ? written.slice(written.indexOf('\n')) : render(compile(sources), codesOf)
  const text = `// Written by scripts/compile-contracts.mjs from contracts/*.sol. Do not edit. Stamp: ${stamp(sources, body)}${body}`
  if (written === null) writeFileSync(path, text)
  else if (written !== text) {
    process.stderr.write(`${target} does not match ${sources.join(', ')}: npm run contracts -w @svc/devnet\n`)
    process.exitCode = 1
  }
}

/** Changes with the sources, with the compiler and the packages they import, with this program and with what it wrote. */
function stamp(sources, body) {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  )
  const hash = createHash('sha256').update(JSON.stringify({ dependencies, devDependencies }))
  hash.update(readFileSync(new URL(import.meta.url)))
  for (const path of sources) hash.update(`${basename(path)}\n`).update(readFileSync(new URL(path, import.meta.url)))
  return hash.update(body).digest('hex').slice(0, 16)
}

function solidityIn(folder) {
  return readdirSync(new URL(folder, import.meta.url))
    .filter((file) => file.endsWith('.sol'))
    .sort()
    .map((file) => `${folder}${file}`)
}

function compile(sources) {
  const require = createRequire(import.meta.url)
  const files = sources.map((path) => basename(path))
  const contents = new Map(
    sources.map((path) => [basename(path), readFileSync(new URL(path, import.meta.url), 'utf8')]),
  )
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(files.map((file) => [file, { content: contents.get(file) }])),
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true, runs: 200 },
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      // Of our own files alone: what they import is compiled only as part of them.
      outputSelection: Object.fromEntries(
        files.map((file) => [file, { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] }]),
      ),
    },
  }
  const findImport = (path) => readImport(path, require.resolve.paths(path))
  const output = JSON.parse(require('solc').compile(JSON.stringify(input), { import: findImport }))
  const problems = output.errors ?? []
  if (problems.length > 0) throw new Error(problems.map((problem) => problem.formattedMessage).join('\n'))
  return files.map((file) => {
    const name = file.replace(/\.sol$/, '')
    const { abi, evm } = output.contracts[file][name]
    return { name, abi, bytecode: `0x${evm.bytecode.object}`, runtime: `0x${evm.deployedBytecode.object}` }
  })
}

/** A file of an installed package, where Node would find it. */
function readImport(path, folders) {
  const found = folders.map((folder) => join(folder, path)).find((candidate) => existsSync(candidate))
  return found === undefined ? { error: `${path} is not installed` } : { contents: readFileSync(found, 'utf8') }
}

function render(contracts, codesOf) {
  const body = contracts.map(({ name, abi, ...compiled }) => {
    const constant = name[0].toLowerCase() + name.slice(1)
    const members = [
      `  abi: ${JSON.stringify(abi)},`,
      ...codesOf(name).map((code) => `  ${code}: '${compiled[code]}',`),
    ]
    return `export const ${constant} = {\n${members.join('\n')}\n} as const\n`
  })
  return `\n\n${body.join('\n')}`
}
