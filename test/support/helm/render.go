// Renders a chart with the template engine of Helm, which is Go's own, and with the few functions of Helm that our chart uses. It replaces
// `helm template` where Helm is not installed: go run render.go CHART < {"Values": …, "Release": …, "Chart": …}
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func toInt(value any) int {
	switch number := value.(type) {
	case int:
		return number
	case float64:
		return int(number)
	}
	panic(fmt.Sprintf("%v is not a number", value))
}

func indent(spaces int, text string) string {
	padding := strings.Repeat(" ", spaces)
	return padding + strings.ReplaceAll(text, "\n", "\n"+padding)
}

func main() {
	var given map[string]any
	check(json.NewDecoder(os.Stdin).Decode(&given))
	chart := os.Args[1]
	given["Template"] = map[string]any{"BasePath": "templates"}
	all := template.New("chart").Option("missingkey=error")
	render := func(name string, data any) (string, error) {
		var out bytes.Buffer
		err := all.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	all.Funcs(template.FuncMap{
		"include": render,
		"quote":   func(value any) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
		"nindent": func(spaces int, text string) string { return "\n" + indent(spaces, text) },
		"toYaml": func(value any) (string, error) {
			// JSON is valid YAML.
			text, err := json.Marshal(value)
			return string(text), err
		},
		"default": func(otherwise, value any) any {
			if value == nil || value == "" {
				return otherwise
			}
			return value
		},
		"required": func(message string, value any) (any, error) {
			if value == nil || value == "" {
				return nil, errors.New(message)
			}
			return value, nil
		},
		"join": func(by string, values []any) string {
			texts := []string{}
			for _, value := range values {
				texts = append(texts, fmt.Sprint(value))
			}
			return strings.Join(texts, by)
		},
		"omit": func(values map[string]any, names ...string) map[string]any {
			rest := map[string]any{}
			for name, value := range values {
				rest[name] = value
			}
			for _, name := range names {
				delete(rest, name)
			}
			return rest
		},
		"add":       func(a, b any) int { return toInt(a) + toInt(b) },
		"div":       func(a, b any) int { return toInt(a) / toInt(b) },
		"sha256sum": func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) },
	})
	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	check(err)
	sort.Strings(files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		_, err = all.New("templates/" + filepath.Base(file)).Parse(string(text))
		check(err)
	}
	for _, file := range files {
		if filepath.Ext(file) != ".yaml" {
			continue
		}
		text, err := render("templates/"+filepath.Base(file), given)
		check(err)
		fmt.Println("---\n" + text)
	}
}
