import { fileURLToPath } from 'node:url'
import { readConsole } from '../../adapters/http/console/read-files.ts'

/** The console that was built along with this program; null for a program that runs from its sources. */
export const consoleFiles = () => readConsole(fileURLToPath(new URL('./console', import.meta.url)))
