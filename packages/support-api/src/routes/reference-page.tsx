import { createHash } from 'node:crypto'
import type { FC } from 'hono/jsx'
import { html, raw } from 'hono/html'

/** The API description as a page for people: no script, one style, readable on a telephone. */
export function referencePage(document: Description): { readonly page: ReturnType<typeof html>; readonly csp: string } {
  const hash = createHash('sha256').update(style).digest('base64')
  const csp = `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`
  return { page: html`<!doctype html>${<Page document={document} />}`, csp }
}

/** What the page reads of an OpenAPI document. */
export type Description = {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string | undefined }
  readonly paths?: unknown
  readonly components?: unknown
}

type Operation = {
  readonly summary?: string
  readonly description?: string
  readonly security?: readonly unknown[]
  readonly requestBody?: { readonly content?: Content }
  readonly responses?: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>
}

type Content = Readonly<Record<string, { readonly schema?: unknown }>>

const Page: FC<{ document: Description }> = ({ document: { info, paths, components } }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{info.title}: reference</title>
      <style>{raw(style)}</style>
    </head>
    <body>
      <main>
        <h1>
          {info.title} <small>{info.version}</small>
        </h1>
        <p>{info.description}</p>
        <p>
          <a href="/">The faucet as a page</a>. This description for programs: <a href="/openapi.json">/openapi.json</a>
          .
        </p>
        <nav aria-label="Contents">
          <ul>
            {operationsOf(paths).map(([method, path, { summary }]) => (
              <li>
                <a href={`#${anchorOf(method, path)}`}>
                  {method.toUpperCase()} {path}
                </a>
                : {summary}
              </li>
            ))}
            <li>
              <a href="#shapes">Shapes</a>
            </li>
          </ul>
        </nav>
        {operationsOf(paths).map(([method, path, operation]) => (
          <Section method={method} path={path} operation={operation} />
        ))}
        <h2 id="shapes">Shapes</h2>
        {schemasOf(components).map(([name, schema]) => (
          <section id={name}>
            <h3>{name}</h3>
            <Shape schema={schema} />
          </section>
        ))}
      </main>
    </body>
  </html>
)

const Section: FC<{ method: string; path: string; operation: Operation }> = ({ method, path, operation }) => (
  <section id={anchorOf(method, path)}>
    <h2>
      <code>
        {method.toUpperCase()} {path}
      </code>
    </h2>
    <p>{operation.description ?? operation.summary}</p>
    {operation.security === undefined ? null : (
      <p>
        Sends the app id as <code>Authorization: Bearer</code>.
      </p>
    )}
    <Bodies title="Takes" content={operation.requestBody?.content} />
    <table>
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(operation.responses ?? {}).map(([status, response]) => (
          <tr>
            <td>{status}</td>
            <td>
              <Words text={response.description ?? ''} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
    <Bodies title="Answers" content={operation.responses?.['200']?.content} />
  </section>
)

const Bodies: FC<{ title: string; content: Content | undefined }> = ({ title, content }) => (
  <>
    {Object.entries(content ?? {}).map(([type, { schema }]) => (
      <>
        <p>
          {title} <code>{type}</code>
        </p>
        {schema === undefined || JSON.stringify(schema) === '{}' ? null : <Shape schema={schema} />}
      </>
    ))}
  </>
)

/** What stands between backticks is code. */
const Words: FC<{ text: string }> = ({ text }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
)

/** JSON whose references lead to what they name. */
const Shape: FC<{ schema: unknown }> = ({ schema }) => (
  <pre tabindex={0}>
    {JSON.stringify(schema, null, 2)
      .split(/"#\/components\/schemas\/(\w+)"/)
      .map((part, index) => (index % 2 === 1 ? <a href={`#${part}`}>{part}</a> : part))}
  </pre>
)

function anchorOf(method: string, path: string): string {
  return `${method}${path.replaceAll(/\W+/g, '-')}`
}

function operationsOf(paths: unknown): readonly (readonly [method: string, path: string, operation: Operation])[] {
  return Object.entries(membersOf(paths)).flatMap(([path, methods]) =>
    Object.entries(membersOf(methods)).map(([method, operation]) => [method, path, membersOf(operation)] as const),
  )
}

function schemasOf(components: unknown): readonly (readonly [name: string, schema: unknown])[] {
  return Object.entries(membersOf(membersOf(components)['schemas']))
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
section { border-top: 1px solid; margin-top: 2rem; }
h2 { overflow-wrap: anywhere; }
pre { overflow-x: auto; border: 1px solid; padding: 0.5rem; font-size: 0.85rem; }
table { border-collapse: collapse; table-layout: fixed; width: 100%; }
th:first-child { width: 4rem; }
code, li { overflow-wrap: anywhere; }
th, td { border: 1px solid; padding: 0.25rem 0.5rem; text-align: start; vertical-align: top; overflow-wrap: anywhere; }
`
