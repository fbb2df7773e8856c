// Writes the package's dependencies as CycloneDX, from the lock file: `sbom.mjs [FILE]`. Runs when the package is
// packed.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const { name } = JSON.parse(readFileSync('package.json', 'utf8'))
const NPM = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application']
const MAX_BYTES = 64 * 1024 * 1024

const sbom = JSON.parse(execFileSync('npm', NPM, { encoding: 'utf8', maxBuffer: MAX_BYTES }))
// npm's own --omit=dev also omits production dependencies that development needs, such as cli-table3, and names the
// folder.
const isForDevelopment = ({ properties = [] }) => properties.some(each => each.name === 'cdx:npm:package:development')
const dropped = new Set(sbom.components.filter(isForDevelopment).map(component => component['bom-ref']))
sbom.metadata.component.name = name
sbom.components = sbom.components.filter(component => !dropped.has(component['bom-ref']))
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => !dropped.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(each => !dropped.has(each)) }))

writeFileSync(process.argv[2] ?? 'sbom.cdx.json', `${JSON.stringify(sbom, null, 2)}\n`)
