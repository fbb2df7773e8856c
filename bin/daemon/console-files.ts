import { fileURLToPath } from 'node:url'
import { http } from '../../adapters/http/http.ts'

/** Returns the console that was built with this program; null if the program runs from its sources. */
export const consoleFiles = () => http.readConsole(fileURLToPath(new URL('./console', import.meta.url)))
