import js from '@eslint/js';
import importX from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';
import { importTable } from './import-table.js';

const folders = Object.keys(importTable);
const programs = ['worker', 'cli', 'server', 'config', 'index', 'workflow', 'workflow-code', 'client', 'testing'];

/** One lint block per row of the import table. */
function importRules([folder, row]) {
  const allowed = [folder, ...row.values];
  const patterns = [];
  for (const other of folders) {
    if (allowed.includes(other)) continue;
    const typeOnly = row.types.includes(other);
    patterns.push({
      regex: `^(\\./)*(\\.\\./)+${other}/`,
      message: `${folder} may not import ${typeOnly ? 'values ' : ''}from ${other}: see the import table in ARCHITECTURE.md`,
      ...(typeOnly && { allowTypeImports: true }),
    });
  }
  patterns.push({
    regex: `^(\\./)*(\\.\\./)+(${programs.join('|')})\\.ts$`,
    message: `${folder} may not import a program`,
  });
  const packages = row.packages.map((name) => (name.endsWith(':') ? name : `${name}(/|$)`)).join('|');
  patterns.push({
    regex: packages === '' ? '^[^.]' : `^(?!\\.|${packages})`,
    message: `${folder} may not import this package: see the import table in ARCHITECTURE.md`,
  });
  return {
    files: [`src/${folder}/**/*.ts`],
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] },
  };
}

const pure = ['Date', 'process', 'fetch', 'setTimeout', 'setInterval', 'performance'];

export default tseslint.config(
  { ignores: ['dist', 'dist.new', 'node_modules', 'coverage', '.tributary'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { 'import-x': importX },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'import-x/no-cycle': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.name='executeChild']",
          message: 'Start children with runChild: a cancel that meets a starting child is lost otherwise.',
        },
      ],
    },
  },
  ...Object.entries(importTable).map(importRules),
  {
    files: ['src/domain/**/*.ts', 'src/export/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...pure.map((name) => ({ name, message: 'The domain is pure: time and chance are passed in.' })),
      ],
      'no-restricted-properties': ['error', { object: 'Math', property: 'random', message: 'The domain is pure.' }],
    },
  },
  {
    files: ['**/*.mjs', '*.js'],
    languageOptions: {
      globals: {
        console: 'readonly',
        process: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        setTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        clearTimeout: 'readonly',
        Buffer: 'readonly',
        AbortSignal: 'readonly',
      },
    },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
);
