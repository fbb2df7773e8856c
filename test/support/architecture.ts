import { dirname, join } from 'node:path/posix'
import ts from 'typescript'

const CORE_PACKAGES = ['typebox', 'lossless-json', 'sms-segments-calculator']

/** What the core may not use directly, and where it gets it instead. */
const FORBIDDEN_IN_CORE: Readonly<Record<string, string>> = {
  'Date.now': 'take the time from the Clock port',
  'new Date()': 'take the time from the Clock port',
  'Date()': 'take the time from the Clock port',
  'Math.random': 'take ids from the Ids port',
  process: 'hand the value in from bin',
  performance: 'measure in an adapter or in bin',
}

/** What is about the database itself, and may call the ports of its upkeep. */
const CALLS_PORTS = [
  'adapters/cli/doctor/',
  'adapters/cli/commands/service/database-commands.ts',
  'adapters/cli/commands/service/copy-command.ts',
]

/** The names of StoragePorts in adapters/cli/context.ts: a test compares them. */
export const STORAGE_PORTS = [
  'audit',
  'bulk',
  'calls',
  'decks',
  'maintenance',
  'messages',
  'notices',
  'smsReports',
  'switchDirectory',
]

/** Returns the port of the storage of which a method is called, such as `services.calls.usage()`; null for other code. */
function calledPort(node: ts.Node): string | null {
  if (!ts.isCallExpression(node)) return null
  const called = node.expression
  if (!ts.isPropertyAccessExpression(called)) return null
  const names = [
    called.name,
    ts.isPropertyAccessExpression(called.expression) ? called.expression.name : called.expression,
  ]
  const [method, owner] = names.map(each => (ts.isIdentifier(each) ? each.text : ''))
  if (method === 'switchDirectory') return method
  return STORAGE_PORTS.find(port => port === owner) ?? null
}

/** The part of the tree that a path belongs to: core, config, bin, or adapters/X. */
const partOf = (path: string): string => {
  const [top = '', second = ''] = path.split('/')
  return top === 'adapters' ? `${top}/${second}` : top
}

/** Violations of the layer rules in one source file, each as a sentence that says what to do. */
export function problemsOf(path: string, text: string): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const problems: string[] = []
  const report = (node: ts.Node, problem: string): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
    problems.push(`${path}:${line + 1} ${problem}`)
  }
  const visit = (node: ts.Node): void => {
    const imported = importedBy(node)
    if (imported !== null) for (const problem of importProblems(path, imported)) report(node, problem)
    if (isDefaultExport(node)) report(node, 'has a default export: export it by its name.')
    if (ts.isExportDeclaration(node) && node.moduleSpecifier)
      report(node, 'passes on what another file declares: import it from there instead.')
    if (readsSentence(node)) report(node, 'decides by the text of a message: decide by its code or its rule.')
    if (partOf(path) === 'adapters/cli' && path !== STREAMS && writesToStream(node))
      report(
        node,
        `writes to a stream of the program: print with the functions of ${STREAMS}, which clean what is printed.`,
      )
    if (partOf(path) === 'adapters/cli' && !CALLS_PORTS.some(part => path.startsWith(part))) {
      const port = calledPort(node)
      if (port !== null) report(node, `calls the port ${port}: call a use case, and let it call the port.`)
    }
    if (partOf(path) === 'core') {
      const forbidden = forbiddenIn(node)
      if (forbidden !== null) report(node, `uses ${forbidden}: ${FORBIDDEN_IN_CORE[forbidden]}.`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return problems
}

/** The imports of a source file, in any form; an empty text for one known only at run time. */
export function importsOf(text: string): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    const imported = importedBy(node)
    if (imported !== null) found.push(imported)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('any.ts', text, ts.ScriptTarget.Latest, true))
  return found
}

/**
 * Returns the circles in which files import each other, type imports included: for each, the files on the way round.
 * `sources` holds the text of each file by its path.
 */
export function circlesIn(sources: ReadonlyMap<string, string>): string[][] {
  const circles: string[][] = []
  const done = new Set<string>()
  const way: string[] = []
  const visit = (path: string): void => {
    const start = way.indexOf(path)
    if (start !== -1) circles.push([...way.slice(start), path])
    const text = sources.get(path)
    if (done.has(path) || start !== -1 || text === undefined) return
    way.push(path)
    for (const imported of importsOf(text)) if (imported.startsWith('.')) visit(join(dirname(path), imported))
    way.pop()
    done.add(path)
  }
  for (const path of sources.keys()) visit(path)
  return circles
}

function importedBy(node: ts.Node): string | null {
  if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier)
    return ts.isStringLiteral(node.moduleSpecifier) ? node.moduleSpecifier.text : ''
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal))
    return node.argument.literal.text
  if (!ts.isCallExpression(node)) return null
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === 'require'
  if (!isImport && !isRequire) return null
  const [given] = node.arguments
  return given && ts.isStringLiteralLike(given) ? given.text : ''
}

/** SQL derived from the declarations, and how its rows are read: what the storages share. */
const SQL = 'adapters/sql'
const STORAGES: readonly string[] = ['adapters/sqlite', 'adapters/postgres', 'adapters/citus']

function importProblems(path: string, imported: string): string[] {
  const from = partOf(path)
  if (imported === '') return ['imports what is only known when it runs: name the file.']
  if (!imported.startsWith('.')) {
    if (from === SQL) return [`imports ${imported}: ${SQL} is text for several databases, and knows no driver.`]
    const isAllowed = CORE_PACKAGES.some(name => imported === name || imported.startsWith(`${name}/`))
    return from !== 'core' || isAllowed
      ? []
      : [
          `imports ${imported}: core knows no library but ${CORE_PACKAGES.join(' and ')}; declare a port in core/ports.ts and put this into an adapter.`,
        ]
  }
  const target = join(dirname(path), imported)
  const to = partOf(target)
  if (from === to) return []
  if (to === 'test') return [`imports ${target}: what runs may not need the tests.`]
  if (from === 'core') return [`imports ${target}: core imports only core; declare a port in core/ports.ts instead.`]
  if (from === 'bin' || to === 'core') return []
  if (to === 'bin') return [`imports ${target}: only bin wires; let bin hand the value in.`]
  if (to === SQL && STORAGES.includes(from)) return []
  if (to.startsWith('adapters/'))
    return [`imports ${target}: only bin imports adapters; use a port of core/ports.ts and let bin hand it in.`]
  if (from.startsWith('adapters/'))
    return [`imports ${target}: an adapter imports core alone; let bin hand the value in.`]
  return [`imports ${target}: ${from} imports only core and itself.`]
}

const isDefaultExport = (node: ts.Node): boolean =>
  ts.isExportAssignment(node) ||
  (ts.isExportSpecifier(node) && node.name.text === 'default') ||
  (ts.canHaveModifiers(node) &&
    (ts.getModifiers(node)?.some(modifier => modifier.kind === ts.SyntaxKind.DefaultKeyword) ?? false))

/** The text of an error, by the name of what holds it. */
const SENTENCE = /(?:^|\.)(?:message|sentence|predicate)$/
const TEXT_TESTS: ReadonlySet<string> = new Set(['includes', 'startsWith', 'endsWith', 'match', 'search', 'indexOf'])

function readsSentence(node: ts.Node): boolean {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false
  const { expression: on, name } = node.expression
  if (TEXT_TESTS.has(name.text)) return SENTENCE.test(on.getText())
  const [given] = node.arguments
  return (name.text === 'test' || name.text === 'exec') && given !== undefined && SENTENCE.test(given.getText())
}

/** The only file that writes to standard output and standard error of the command line. */
const STREAMS = 'adapters/cli/terminal/streams.ts'

const writesToStream = (node: ts.Node): boolean =>
  ts.isPropertyAccessExpression(node) && /(?:^|\.)std(?:out|err)\??\.write$/.test(node.getText())

function forbiddenIn(node: ts.Node): string | null {
  if (ts.isPropertyAccessExpression(node)) {
    const name = `${node.expression.getText()}.${node.name.text}`
    return name === 'Date.now' || name === 'Math.random' ? name : null
  }
  const isDate = (called: ts.Expression): boolean => ts.isIdentifier(called) && called.text === 'Date'
  if (ts.isNewExpression(node)) return isDate(node.expression) && !node.arguments?.length ? 'new Date()' : null
  if (ts.isCallExpression(node)) return isDate(node.expression) ? 'Date()' : null
  if (!ts.isIdentifier(node) || (node.text !== 'process' && node.text !== 'performance')) return null
  const { parent } = node
  const isName =
    (ts.isPropertyAccessExpression(parent) && parent.name === node && parent.expression.getText() !== 'globalThis') ||
    ts.isPropertySignature(parent) ||
    ts.isPropertyAssignment(parent)
  return isName ? null : node.text
}
