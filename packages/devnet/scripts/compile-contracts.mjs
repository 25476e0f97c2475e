// Compiles packages/devnet/contracts/*.sol and writes src/contracts.gen.ts. With --check it writes nothing and fails
// when the committed file does not match the sources.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const sources = new URL('../contracts/', import.meta.url)
const target = new URL('../src/contracts.gen.ts', import.meta.url)

const text = render(compile())
if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== text) {
    process.stderr.write('src/contracts.gen.ts does not match contracts/*.sol: npm run contracts -w @svc/devnet\n')
    process.exitCode = 1
  }
} else {
  writeFileSync(target, text)
}

function compile() {
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
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  const problems = output.errors ?? []
  if (problems.length > 0) throw new Error(problems.map((problem) => problem.formattedMessage).join('\n'))
  return files.map((file) => {
    const name = file.replace(/\.sol$/, '')
    const { abi, evm } = output.contracts[file][name]
    return { name, abi, bytecode: `0x${evm.bytecode.object}` }
  })
}

function render(contracts) {
  const body = contracts.map(({ name, abi, bytecode }) => {
    const constant = name[0].toLowerCase() + name.slice(1)
    return `export const ${constant} = {\n  abi: ${JSON.stringify(abi)},\n  bytecode: '${bytecode}',\n} as const\n`
  })
  return `// Written by scripts/compile-contracts.mjs from contracts/*.sol. Do not edit.\n\n${body.join('\n')}`
}
