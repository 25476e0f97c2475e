import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'
import { z } from 'zod'

/**
 * What one entry of a built package exports: API Extractor says which names there are, what each one's docstring is and
 * what is wrong with it; the declaration, with the comments of its members, is the text of the `.d.ts` file.
 */
export function readPublicApi(packageFolder: string, entry: string): PublicApi {
  const folder = mkdtempSync(join(tmpdir(), 'svc-api-'))
  try {
    const modelPath = join(folder, 'model.api.json')
    const reported = extract(packageFolder, entry, modelPath)
    const [{ members }] = modelShape.parse(JSON.parse(readFileSync(modelPath, 'utf8'))).members
    const names = new Map(members.map(({ canonicalReference, name }) => [canonicalReference, name]))
    const exported = members.map((member) => {
      const { kind, name, docComment, fileUrlPath, excerptTokens } = member
      const declared = declarationIn(readFileSync(join(packageFolder, fileUrlPath), 'utf8'), name)
      const uses = excerptTokens.map(({ canonicalReference = '' }) => names.get(canonicalReference) ?? name)
      return {
        name,
        kind: kinds[kind],
        doc: textOf(docComment),
        declared,
        source: fileUrlPath.replace(/^dist\/(.*)\.d\.ts$/, 'src/$1.ts'),
        uses: [...new Set(uses)].filter((used) => used !== name),
      }
    })
    return { exported, ...reported }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export type PublicApi = {
  readonly exported: readonly PublicExport[]
  /** What declarations and docstrings name that this entry does not export. */
  readonly unexported: readonly string[]
  /** Docstrings that are no TSDoc. */
  readonly malformed: readonly string[]
}

export type PublicExport = {
  readonly name: string
  readonly kind: 'function' | 'class' | 'value' | 'type'
  /** Without its comment marks; empty where there is none. */
  readonly doc: string
  readonly declared: string
  /** Path inside the package. */
  readonly source: string
  /** Other exports of the entry that the declaration names. */
  readonly uses: readonly string[]
}

const kinds = { Function: 'function', Class: 'class', Variable: 'value', TypeAlias: 'type' } as const

const modelShape = z.object({
  members: z.tuple([
    z.object({
      members: z.array(
        z.object({
          kind: z.enum(['Function', 'Class', 'Variable', 'TypeAlias']),
          name: z.string(),
          canonicalReference: z.string(),
          docComment: z.string(),
          fileUrlPath: z.string(),
          excerptTokens: z.array(z.object({ canonicalReference: z.string().optional() })),
        }),
      ),
    }),
  ]),
})

/** House style: arrows and comparisons stand in docstrings as they are. */
const isMalformed = /^tsdoc-(?!escape-)/

function extract(packageFolder: string, entry: string, modelPath: string): Omit<PublicApi, 'exported'> {
  const unexported: string[] = []
  const malformed: string[] = []
  const warning = { default: { logLevel: ExtractorLogLevel.Warning } }
  const compilerOptions = { target: 'es2023', module: 'nodenext', types: ['node'], strict: true, skipLibCheck: true }
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: packageFolder,
      mainEntryPointFilePath: join(packageFolder, entry),
      compiler: { overrideTsconfig: { compilerOptions, files: [entry] } },
      apiReport: { enabled: false },
      docModel: { enabled: true, apiJsonFilePath: modelPath },
      tsdocMetadata: { enabled: false },
      messages: { extractorMessageReporting: warning, tsdocMessageReporting: warning },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(packageFolder, 'package.json'),
  })
  Extractor.invoke(config, {
    localBuild: true,
    messageCallback(message) {
      message.handled = true
      const { messageId, text, sourceFilePath = '' } = message
      const [, name] =
        /^The symbol "(\w+)" needs to be exported|have an export "(\w+)"$/.exec(text)?.filter(Boolean) ?? []
      if (name !== undefined) unexported.push(name)
      else if (isMalformed.test(messageId)) malformed.push(`${sourceFilePath}: ${text}`)
    },
  })
  return { unexported, malformed }
}

/** A statement of a `.d.ts` file ends where a line that is not indented ends with a semicolon or is a lone brace. */
function declarationIn(text: string, name: string): string {
  const lines = text.split('\n')
  const begins = new RegExp(`^export (?:declare )?(?:function|class|const|type) ${name}\\b`)
  const first = lines.findIndex((line) => begins.test(line))
  if (first === -1) throw new Error(`No declaration of ${name}.`)
  const length = lines.slice(first).findIndex((line) => /^(?!\s).*;$|^\}$/.test(line)) + 1
  return lines
    .slice(first, first + length)
    .filter((line) => line.trim() !== '#private;')
    .join('\n')
    .replace(/^export (?:declare )?/, '')
    .replaceAll('    ', '  ')
}

function textOf(docComment: string): string {
  return docComment
    .replace(/^\/\*\*/, '')
    .replace(/\*\/\s*$/, '')
    .replaceAll(/^\s*\* ?/gm, '')
    .trim()
}
