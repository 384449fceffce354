"""The ground floor: settings, reasons, errors, logs. Imports nothing else of pijit."""
