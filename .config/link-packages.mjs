/** Links into node_modules the packages of this repository that were added since `npm ci`: a pull then needs no install. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

mkdirSync('node_modules/@countersign', { recursive: true });
for (const parent of ['libs', 'services']) {
  for (const folder of readdirSync(parent)) {
    if (!existsSync(`${parent}/${folder}/package.json`)) continue;
    const { name } = JSON.parse(readFileSync(`${parent}/${folder}/package.json`, 'utf8'));
    if (!existsSync(`node_modules/${name}`))
      symlinkSync(`../../${parent}/${folder}`, `node_modules/${name}`, 'junction');
  }
}
