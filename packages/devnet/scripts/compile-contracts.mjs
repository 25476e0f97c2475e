// Compiles contracts/*.sol of this package, which are deployed, and of the tool server, whose code only stands in state
// overrides, and writes each into its contracts.gen.ts. With --check it writes nothing and fails when a committed file
// does not match its sources.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const outputs = [
  { sources: '../contracts/', target: '../src/contracts.gen.ts', code: 'bytecode' },
  { sources: '../../tool-server/contracts/', target: '../../tool-server/src/safety/contracts.gen.ts', code: 'runtime' },
]

for (const { sources, target, code } of outputs) {
  const text = render(compile(new URL(sources, import.meta.url)), code)
  const path = new URL(target, import.meta.url)
  if (!process.argv.includes('--check')) writeFileSync(path, text)
  else if (readFileSync(path, 'utf8') !== text) {
    process.stderr.write(`${target} does not match ${sources}*.sol: npm run contracts -w @svc/devnet\n`)
    process.exitCode = 1
  }
}

function compile(sources) {
  const solc = createRequire(import.meta.url)('solc')
  const files = readdirSync(sources)
    .filter((file) => file.endsWith('.sol'))
    .sort()
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(files.map((file) => [file, { content: readFileSync(new URL(file, sources), 'utf8') }])),
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true, runs: 200 },
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  const problems = output.errors ?? []
  if (problems.length > 0) throw new Error(problems.map((problem) => problem.formattedMessage).join('\n'))
  return files.map((file) => {
    const name = file.replace(/\.sol$/, '')
    const { abi, evm } = output.contracts[file][name]
    return { name, abi, bytecode: `0x${evm.bytecode.object}`, runtime: `0x${evm.deployedBytecode.object}` }
  })
}

function render(contracts, code) {
  const body = contracts.map(({ name, abi, ...codes }) => {
    const constant = name[0].toLowerCase() + name.slice(1)
    return `export const ${constant} = {\n  abi: ${JSON.stringify(abi)},\n  ${code}: '${codes[code]}',\n} as const\n`
  })
  return `// Written by scripts/compile-contracts.mjs from contracts/*.sol. Do not edit.\n\n${body.join('\n')}`
}
